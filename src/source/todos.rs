//! Whether the input of a todo tool is what that tool takes. What stands there is kept either way; here it is only told.

use serde_json::Value;

use crate::diag::Trouble;

/// Says what is wrong with the input of a todo tool, and gives the kind of the warning.
pub(super) fn odd(tool: &str, input: &Value) -> Option<(Trouble, &'static str)> {
    let (list, text) = match tool {
        "todowrite" | "TodoWrite" => ("todos", "content"),
        "update_plan" => ("plan", "step"),
        _ => return None,
    };
    let Some(items) = input.get(list).and_then(Value::as_array) else {
        return Some((Trouble::TodoType, "the input of a todo tool holds no list where that tool takes one"));
    };
    let is_item = |item: &Value| item.get(text).is_some_and(Value::is_string);
    if items.iter().any(Value::is_array) {
        return Some((Trouble::TodoType, "the list of a todo tool holds lists where that tool takes items"));
    }
    (!items.iter().all(is_item)).then_some((Trouble::TodoItem, "the list of a todo tool holds items without a text"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn inputs_that_the_tools_do_not_take() {
        let item = json!({"content": "a", "status": "pending"});
        let kind = |tool: &str, input: Value| odd(tool, &input).map(|(kind, _)| kind.word());
        assert_eq!(kind("TodoWrite", json!({"todos": [item]})), None);
        assert_eq!(kind("todowrite", json!({"todos": []})), None);
        assert_eq!(kind("update_plan", json!({"plan": [{"step": "a"}]})), None);
        assert_eq!(kind("bash", json!(5)), None);
        for input in
            [json!({"todos": {"1": item}}), json!({"todos": "[]"}), json!({}), json!([item]), json!({"todos": [["a"]]})]
        {
            assert_eq!(kind("todowrite", input.clone()), Some("todo-type"), "{input}");
        }
        assert_eq!(kind("TodoWrite", json!({"todos": [item, {"status": "x"}]})), Some("todo-item"));
        assert_eq!(kind("TodoWrite", json!({"todos": ["a"]})), Some("todo-item"));
    }
}

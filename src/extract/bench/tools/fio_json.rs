//! `fio --output-format=json`.

use super::json::Json;
use super::lines::{Line, Sink};

pub(super) const ANCHORS: &[&str] = &["\"fio version\""];

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some((document, taken)) = Json::begins(lines, sink) else { return 0 };
    let top = document.members();
    let (Some(jobs), true) = (top.get("jobs"), top.contains_key("fio version")) else { return 0 };
    for job in jobs.items() {
        let members = job.members();
        for way in ["read", "write", "trim"] {
            let Some(stats) = members.get(way).map(|w| w.members()) else { continue };
            let idle =
                |key: &str| stats.get(key).and_then(|v| v.number()?.parse::<f64>().ok()).is_none_or(|v| v == 0.0);
            if idle("iops") {
                continue;
            }
            sink.block();
            let options = members.get("job options").map(|o| o.members()).unwrap_or_default();
            sink.conditions(&options, &[("bs", "bs"), ("iodepth", "iodepth"), ("numjobs", "numjobs"), ("rw", "rw")]);
            sink.conditions(&members, &[("jobname", "job")]);
            sink.param("way", way);
            sink.failed = members.get("error").and_then(|e| e.number()).is_some_and(|e| e != "0");
            sink.member(&stats, "iops", ("iops", "IOPS", ""));
            if sink.member(&stats, "bw_bytes", ("disk_throughput", "B/s", "")).is_none() {
                sink.member(&stats, "bw", ("disk_throughput", "KiB/s", ""));
            }
            for (key, metric) in [("slat_ns", "slat"), ("clat_ns", "clat"), ("lat_ns", "lat")] {
                let Some(times) = stats.get(key).map(|t| t.members()) else { continue };
                for (name, statistic) in [("min", "min"), ("max", "max"), ("mean", "mean"), ("stddev", "stdev")] {
                    sink.member(&times, name, (metric, "ns", statistic));
                }
                let percentiles = times.get("percentile").map(|p| p.members()).unwrap_or_default();
                for p in percentiles.keys() {
                    let short = p.trim_end_matches('0').trim_end_matches('.');
                    sink.member(&percentiles, p, (metric, "ns", &format!("p{short}")));
                }
            }
        }
    }
    taken
}

//! Programs by what they do, whatever their arguments.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::command::Class;

/// Say nothing of the work.
const IDLE: &str = "
    cd echo printf sleep wait true false export source . set unset pushd popd read test [ [[ exit : for done
    fi } clear ulimit shopt trap return continue break in case esac elif tee yes seq disown jobs local umask ]
";
/// Show what is there.
const LOOK: &str = "
    cat head tail less more nl grep rg egrep fgrep zgrep ag ack find fd locate ls tree pwd wc stat file du df
    free ps pgrep top htop lsof ss netstat uname whoami id printenv which whereis type diff cmp md5sum
    sha256sum strings xxd hexdump od jq yq awk gawk sort uniq cut tr column lscpu lspci lsmod lsblk dmidecode
    numactl journalctl dmesg uptime date history man help ip ifconfig ping dig nslookup host objdump readelf
    nm ldd gh nvidia-smi rocm-smi sed sysctl modinfo hostname ethtool ibstat sensors tokei cloc basename
    dirname realpath readlink bat view glab mount vmstat iostat getent
";
/// Run tests.
const TEST: &str = "
    pytest py.test tox nox jest vitest mocha ctest rspec phpunit nosetests ava playwright cypress nextest bats
    karma trial unittest
";
/// Build, check or lint.
const BUILD: &str = "
    make gmake cmake ninja meson bazel tsc gcc g++ cc c++ clang clang++ rustc javac kotlinc scalac ghc ocamlc
    nvcc ld eslint ruff mypy pyright flake8 pylint black prettier isort golangci-lint mvn gradle gradlew
    ./gradlew ./mvnw ./configure xcodebuild shellcheck clippy-driver pdflatex xelatex latexmk biome swiftc sbt
    stylelint rustfmt gofmt checkpatch.pl vue-tsc sphinx-build
";
/// Measure.
const BENCH: &str = "
    hyperfine wrk wrk2 k6 fio iperf iperf3 sysbench ab hey vegeta oha locust stress-ng perf ncu nsys lm_eval
    lm-eval llama-bench redis-benchmark pgbench mlc all_reduce_perf genai-perf aiperf trtllm-bench bombardier
    autocannon criterion flamegraph py-spy valgrind stream
";
/// Change the place of things, or what is installed, set or running.
const ARRANGE: &str = "
    rm mkdir rmdir mv cp ln chmod chown touch rsync scp tar unzip zip gunzip gzip dd truncate kill pkill
    killall systemctl service docker podman docker-compose kubectl helm apt apt-get dnf yum brew apk pip pip3
    conda mamba npm yarn pnpm bun gem nginx caddy crontab useradd git-lfs huggingface-cli terraform
    ansible-playbook modprobe setpci cpupower prlimit renice tuned-adm update-grub swapoff swapon umount
    insmod rmmod ufw iptables nft passwd usermod parted mktemp install tmux screen supervisorctl pm2 createdb
    dropdb vllm redis-server uvicorn gunicorn flask serve ollama
";
/// Interpreters: what they do depends on the script.
const RUNNERS: &str = "
    python python2 python3 node deno ruby perl php java bash sh zsh Rscript julia lua tsx ts-node dotnet
    torchrun accelerate pypy3 osascript wine gdb lldb
";

static CLASSES: LazyLock<BTreeMap<&str, Class>> = LazyLock::new(|| {
    let lists = [
        (IDLE, Class::Idle),
        (LOOK, Class::Look),
        (TEST, Class::Test),
        (BUILD, Class::Build),
        (BENCH, Class::Bench),
        (ARRANGE, Class::Arrange),
    ];
    lists.iter().flat_map(|(list, class)| list.split_whitespace().map(|program| (program, *class))).collect()
});

/// What a program does by its name alone.
pub(super) fn class(program: &str) -> Option<Class> {
    CLASSES.get(program).copied()
}

/// Whether a program runs scripts.
pub(super) fn is_interpreter(program: &str) -> bool {
    RUNNERS.split_whitespace().any(|p| p == program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_program_stands_in_two_lists() {
        let lists = [IDLE, LOOK, TEST, BUILD, BENCH, ARRANGE, RUNNERS];
        let mut all: Vec<&str> = lists.iter().flat_map(|l| l.split_whitespace()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}

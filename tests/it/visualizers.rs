//! Images that a package's visualizers make.

use std::fs;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::fixture::{Fixture, WRONG};

/// Its image shows its arguments.
const VISUALIZER: &str = "#!/usr/bin/env bash\n\
    echo \"$(cat \"$1\")|$(cat \"$2\")|$(cat)|${*:4}|$(cat \"$3state\" 2>&1)\" > \"${3}judgeimage.svg\"\n\
    echo x > \"${3}teamimage-01.png\"; echo 7 > \"${3}score.txt\"; echo y > \"${3}judgemessage.txt\"\n\
    exit 3\n";

const SAVED_BOX: &str = "kept/b.sh/secret~-large~-1";

/// The package with this output visualizer, and a wrong submission `b.sh`.
fn fixture(visualizer: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.write("sum/output_visualizer/draw/run", visualizer);
    fixture.make_executable("sum/output_visualizer/draw/run");
    fixture.write("b.sh", WRONG);
    fixture
}

fn saved_image(fixture: &Fixture, name: &str) -> Option<String> {
    fs::read_to_string(fixture.path(&format!("{SAVED_BOX}.validator/juror/feedback/{name}"))).ok()
}

/// 2025-09, "Output visualizer": `--keep` runs it, and keeps its images
#[test]
fn images_of_outputs_are_saved() {
    let fixture = fixture(VISUALIZER);
    fixture.write("sum/data/secret/large/1.yaml", "output_visualizer_args: [red, 'a b']\n");
    let messages = ["WA", "images: judgeimage.svg, teamimage-01.png"];
    fixture.check("judge sum b.sh --keep=kept --html page.html", 1, &messages);
    let page = fixture.read("page.html");
    assert!(page.contains("src=\"data:image/svg+xml;base64,MTAwMDAwIDF8MTAwMDAxfDN8"), "{page}");
    assert!(page.contains("src=\"data:image/png;base64,eAo=\""), "{page}");
    let image = saved_image(&fixture, "judgeimage.svg").expect("an image");
    assert!(image.starts_with("100000 1|100001|3|red a b|cat: "), "{image}");
    assert_eq!(saved_image(&fixture, "teamimage-01.png").as_deref(), Some("x\n"));
    // Its exit code is ignored, and only images count.
    assert_eq!(saved_image(&fixture, "score.txt"), None);
    assert_eq!(saved_image(&fixture, "judgemessage.txt"), None);
    assert_eq!(
        fixture.read(&format!("{SAVED_BOX}.visualizer.error")),
        "it ended with exit code 3\n"
    );
    fixture.check("verify sum --keep=all", 0, &["2 submissions, all as expected"]);
    let of_right =
        "all/accepted~-right.sh/secret~-small~-1.validator/juror/feedback/judgeimage.svg";
    assert!(fixture.path(of_right).is_file(), "an accepted output is drawn, too");
}

#[test]
fn a_visualizer_gets_the_files_of_the_output_validator() {
    let fixture = fixture(VISUALIZER);
    fixture.write(
        "sum/output_validator/validate/run",
        "#!/usr/bin/env bash\necho moves > \"${3}state\"; echo no > \"${3}judgemessage.txt\"\n\
         echo own > \"${3}judgeimage.svg\"; echo own > \"${3}judgeimage-1.svg\"\n\
         read -r line; [[ $line == $(cat \"$2\") ]] && exit 42; exit 43\n",
    );
    fixture.make_executable("sum/output_validator/validate/run");
    let images = "images: judgeimage-1.svg, judgeimage.svg, teamimage-01.png";
    fixture.check("judge sum b.sh --keep=kept", 1, &["rejects it: no", images]);
    let image = saved_image(&fixture, "judgeimage.svg").expect("an image");
    assert!(image.ends_with("|moves\n"), "{image}");
    assert_eq!(saved_image(&fixture, "judgemessage.txt").as_deref(), Some("no\n"));
    assert_eq!(saved_image(&fixture, "score.txt"), None);
}

/// 2025-09, "Resource guarantees": a visualizer that fails makes no judge error
#[test]
fn a_visualizer_that_does_not_work_changes_no_verdict() {
    let wrong = "wrong answer on secret/large/1";
    let check = |visualizer: &str, message: &str| {
        let fixture = fixture(visualizer);
        fixture.check("judge sum b.sh --keep=kept", 1, &[wrong]);
        assert_eq!(saved_image(&fixture, "judgeimage.svg"), None);
        let error = fixture.read(&format!("{SAVED_BOX}.visualizer.error"));
        assert!(error.contains(message), "{error}");
    };
    check("#!/usr/bin/env bash\necho why >&2; exit 1\n", "exit code 1\nwhy\n");
    check("#!/usr/bin/env bash\nkill -9 $$\n", "it was killed by SIGKILL");
    let much = "#!/usr/bin/env bash\necho > ${3}judgeimage.svg; head -c 9M /dev/zero\n";
    check(much, "it exceeded a limit");
    let fixture = fixture("x");
    fixture.write("sum/output_visualizer/draw/build", "#!/usr/bin/env bash\nexit 1\n");
    fixture.make_executable("sum/output_visualizer/draw/build");
    let warning = "the output visualizer does not build";
    fixture.check("judge sum b.sh --keep=kept", 1, &[wrong, warning]);
    fixture.remove("sum/output_visualizer/draw/build");
    fixture.write("sum/output_visualizer/draw/run", "#!/nowhere\n");
    fixture.check("judge sum b.sh --keep=other", 1, &[wrong, "needs `/nowhere`"]);
    // Its images would not be shown.
    fixture.check("judge sum b.sh", 1, &[wrong]);
}

/// A page shows images of failures; no other files are saved for it.
#[test]
fn a_page_has_images_of_inputs_and_outputs() {
    let fixture = fixture(VISUALIZER);
    let of_input =
        "#!/usr/bin/env bash\necho \"$(cat \"$1\")|${*:3}\" > testcase.svg; echo x > note.txt\n";
    fixture.write("sum/input_visualizer/draw/run", of_input);
    fixture.make_executable("sum/input_visualizer/draw/run");
    fixture.write(
        "sum/output_validator/validate/run",
        "#!/usr/bin/env bash\necho moves > \"${3}state\"; echo own > \"${3}judgeimage.png\"\n\
         read -r line; [[ $line == $(cat \"$2\") ]] && exit 42; exit 43\n",
    );
    fixture.make_executable("sum/output_validator/validate/run");
    fixture.write("sum/data/secret/test_group.yaml", "input_visualizer_args: [blue]\n");
    let check = |arguments: &str, code: i32, images: &[&str]| {
        fixture.check(&format!("{arguments} --html page.html"), code, &[]);
        let page = fixture.read("page.html");
        let shown = page.split("<img ").skip(1).map(|image| {
            let part = |from: &str, to: &str| {
                let (_, rest) = image.split_once(from).expect("a part");
                rest.split_once(to).expect("its end").0.to_owned()
            };
            let bytes = BASE64_STANDARD.decode(part("base64,", "\"")).expect("an image");
            format!("{}: {}", part("alt=\"", "\""), String::from_utf8_lossy(&bytes).trim_end())
        });
        assert_eq!(shown.collect::<Vec<_>>(), images, "{arguments}");
    };
    let images = [
        "image testcase.svg of the input: 100000 1|blue",
        "image judgeimage.png of the output: own",
        "image judgeimage.svg of the output: 100000 1|100001|3||moves",
        "image teamimage-01.png of the output: x",
    ];
    check("judge sum b.sh", 1, &images);
    check("judge sum b.sh --keep=kept", 1, &images);
    check("judge sum sum/submissions/accepted/right.sh", 0, &[]);
    check("verify sum --case secret/large/1", 0, &images);
    // Without a page, the input has no image.
    fixture.write("sum/input_visualizer/draw/run", "#!/nowhere\n");
    fixture.check("judge sum b.sh --keep=other", 1, &["images: judgeimage.png, judgeimage.svg"]);
    // Images that are too large or too many are left out.
    fixture.write(
        "sum/output_visualizer/draw/run",
        "#!/usr/bin/env bash\nfor i in 1 2 3 4 5; do echo $i > ${3}judgeimage-$i.svg; done\n\
         head -c 600000 /dev/zero > ${3}judgeimage-0.png\n",
    );
    let most = [
        "image judgeimage-1.svg of the output: 1",
        "image judgeimage-2.svg of the output: 2",
        "image judgeimage-3.svg of the output: 3",
        "image judgeimage-4.svg of the output: 4",
    ];
    check("judge sum b.sh", 1, &most);
}

/// 2025-09, "Input visualizer": `juror verify --keep` runs it, and keeps what it writes
#[test]
fn images_of_inputs_are_saved() {
    let fixture = Fixture::new();
    let draws =
        "#!/usr/bin/env bash\necho \"$(cat \"$1\")|$(cat \"$2\")|${*:3}|$(ls)\" > testcase.svg\n";
    fixture.write("sum/input_visualizer/draw/run", draws);
    fixture.make_executable("sum/input_visualizer/draw/run");
    fixture.write("sum/input_visualizer/README.md", "draws\n");
    fixture.write("sum/data/secret/test_group.yaml", "input_visualizer_args: [blue]\n");
    fixture.check("verify sum --keep=kept", 0, &["2 submissions, all as expected"]);
    let image = fixture.read("kept/input_visualizer/secret~-small~-1/testcase.svg");
    assert_eq!(image, "5 8|13|blue|juror\n");
    assert!(!fixture.path("kept/input_visualizer/secret~-small~-1/juror").exists());
    fixture.write("sum/input_visualizer/draw/run", "#!/usr/bin/env bash\nexit 1\n");
    fixture.check("verify sum --keep=failed", 0, &["2 submissions, all as expected"]);
    let error = fixture.read("failed/input_visualizer/secret~-small~-1.error");
    assert_eq!(error, "it ended with exit code 1\n");
}

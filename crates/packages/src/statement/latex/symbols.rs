//! Commands that change the look of text, and commands without effect.

/// HTML before and after a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextStyle {
    pub open: &'static str,
    pub close: &'static str,
}

const fn tag(open: &'static str, close: &'static str) -> TextStyle {
    TextStyle { open, close }
}

const BOLD: TextStyle = tag("<strong>", "</strong>");
const ITALIC: TextStyle = tag("<em>", "</em>");
const CODE: TextStyle = tag("<code>", "</code>");
const SMALL_CAPS: TextStyle = tag("<span class=\"sc\">", "</span>");
const PLAIN: TextStyle = tag("", "");

/// For a command that changes its argument.
pub(super) fn style_of_argument(name: &str) -> Option<TextStyle> {
    Some(match name {
        "textbf" => BOLD,
        "emph" | "textit" | "textsl" => ITALIC,
        "texttt" | "t" | "lstinline" => CODE,
        "textsc" => SMALL_CAPS,
        "underline" | "uline" => tag("<u>", "</u>"),
        "sout" | "st" => tag("<s>", "</s>"),
        "textsuperscript" => tag("<sup>", "</sup>"),
        "textsubscript" => tag("<sub>", "</sub>"),
        "textrm" | "textsf" | "textmd" | "textup" | "textnormal" | "text" | "mbox" | "hbox" => {
            PLAIN
        }
        _ => return None,
    })
}

/// For a command whose style lasts until the end of its group.
pub(super) fn lasting_style(name: &str) -> Option<TextStyle> {
    Some(match name {
        "bf" | "bfseries" => BOLD,
        "it" | "em" | "sl" | "itshape" | "slshape" => ITALIC,
        "tt" | "ttfamily" => CODE,
        "sc" | "scshape" => SMALL_CAPS,
        "rm" | "rmfamily" | "sf" | "sffamily" | "upshape" | "mdseries" | "normalfont" => PLAIN,
        "tiny" => tag("<span class=\"s1\">", "</span>"),
        "scriptsize" => tag("<span class=\"s2\">", "</span>"),
        "footnotesize" => tag("<span class=\"s3\">", "</span>"),
        "small" => tag("<span class=\"s4\">", "</span>"),
        "normalsize" => tag("<span class=\"s5\">", "</span>"),
        "large" => tag("<span class=\"s6\">", "</span>"),
        "Large" => tag("<span class=\"s7\">", "</span>"),
        "LARGE" => tag("<span class=\"s8\">", "</span>"),
        "huge" => tag("<span class=\"s9\">", "</span>"),
        "Huge" => tag("<span class=\"s10\">", "</span>"),
        _ => return None,
    })
}

/// `None` if the command has an effect on a page.
pub(super) fn ignored_arguments(name: &str) -> Option<usize> {
    Some(match name {
        "noindent" | "centering" | "raggedright" | "raggedleft" | "smallskip" | "medskip"
        | "bigskip" | "newpage" | "clearpage" | "pagebreak" | "hfill" | "vfill" | "hline"
        | "toprule" | "midrule" | "bottomrule" | "maketitle" | "indent" | "protect" | "relax"
        | "/" | "@" | "-" | "!" => 0,
        "vspace" | "hspace" | "vskip" | "label" | "cline" | "cmidrule" | "pagestyle"
        | "thispagestyle" | "usepackage" | "captionsetup" => 1,
        "setlength" | "addtolength" => 2,
        _ => return None,
    })
}

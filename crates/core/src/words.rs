//! Enums with a word for each value.

/// Defines an enum with a word for each value, in the order of lists.
#[macro_export]
macro_rules! words {
    ($(#[$about:meta])* $vis:vis enum $Type:ident { $($(#[$doc:meta])* $Value:ident = $word:literal,)+ }) => {
        $(#[$about])*
        $vis enum $Type { $($(#[$doc])* $Value,)+ }

        impl $Type {
            /// All values, in the order of lists.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$Value),+];

            $vis const fn name(self) -> &'static str {
                match self { $(Self::$Value => $word,)+ }
            }
        }

        impl std::fmt::Display for $Type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub use words;

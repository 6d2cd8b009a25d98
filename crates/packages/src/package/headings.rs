//! The headings of a statement, and the other words that a page adds to it, in the statement's language.

pub(crate) struct StatementWords {
    language: &'static str,
    pub(crate) input: &'static str,
    pub(crate) output: &'static str,
    pub(crate) interaction: &'static str,
    pub(crate) sample_input: &'static str,
    pub(crate) sample_output: &'static str,
    pub(crate) sample_interaction: &'static str,
    pub(crate) read: &'static str,
    pub(crate) write: &'static str,
    pub(crate) pass: &'static str,
    pub(crate) figure: &'static str,
    pub(crate) time_limit: &'static str,
    pub(crate) memory_limit: &'static str,
    pub(crate) arguments: &'static str,
    pub(crate) scoring: &'static str,
    pub(crate) note: &'static str,
}

#[rustfmt::skip]
static WORDS: [StatementWords; 11] = [
    words("en", ["Input", "Output", "Interaction", "Sample input", "Sample output", "Sample interaction", "Read", "Write", "Pass", "Figure", "Time limit", "Memory limit", "Arguments", "Scoring", "Note"]),
    words("da", ["Input", "Output", "Interaktion", "Eksempel på input", "Eksempel på output", "Eksempel på interaktion", "Læs", "Skriv", "Gennemløb", "Figur", "Tidsgrænse", "Hukommelsesgrænse", "Argumenter", "Point", "Bemærkning"]),
    words("de", ["Eingabe", "Ausgabe", "Interaktion", "Beispieleingabe", "Beispielausgabe", "Beispielinteraktion", "Lesen", "Schreiben", "Durchlauf", "Abbildung", "Zeitlimit", "Speicherlimit", "Argumente", "Bewertung", "Hinweis"]),
    words("es", ["Entrada", "Salida", "Interacción", "Ejemplo de entrada", "Ejemplo de salida", "Ejemplo de interacción", "Leer", "Escribir", "Pasada", "Figura", "Límite de tiempo", "Límite de memoria", "Argumentos", "Puntuación", "Nota"]),
    words("fr", ["Entrée", "Sortie", "Interaction", "Exemple d'entrée", "Exemple de sortie", "Exemple d'interaction", "Lecture", "Écriture", "Passe", "Figure", "Limite de temps", "Limite de mémoire", "Arguments", "Barème", "Remarque"]),
    words("it", ["Input", "Output", "Interazione", "Esempio di input", "Esempio di output", "Esempio di interazione", "Leggi", "Scrivi", "Passata", "Figura", "Limite di tempo", "Limite di memoria", "Argomenti", "Punteggio", "Nota"]),
    words("nl", ["Invoer", "Uitvoer", "Interactie", "Voorbeeldinvoer", "Voorbeelduitvoer", "Voorbeeldinteractie", "Lezen", "Schrijven", "Ronde", "Figuur", "Tijdslimiet", "Geheugenlimiet", "Argumenten", "Puntentelling", "Opmerking"]),
    words("pl", ["Wejście", "Wyjście", "Interakcja", "Przykładowe wejście", "Przykładowe wyjście", "Przykładowa interakcja", "Czytaj", "Pisz", "Przebieg", "Rysunek", "Limit czasu", "Limit pamięci", "Argumenty", "Punktacja", "Uwagi"]),
    words("pt", ["Entrada", "Saída", "Interação", "Exemplo de entrada", "Exemplo de saída", "Exemplo de interação", "Ler", "Escrever", "Passagem", "Figura", "Limite de tempo", "Limite de memória", "Argumentos", "Pontuação", "Observação"]),
    words("ru", ["Входные данные", "Выходные данные", "Взаимодействие", "Пример ввода", "Пример вывода", "Пример взаимодействия", "Ввод", "Вывод", "Проход", "Рисунок", "Ограничение по времени", "Ограничение по памяти", "Аргументы", "Система оценки", "Замечание"]),
    words("sv", ["Indata", "Utdata", "Interaktion", "Exempel på indata", "Exempel på utdata", "Exempel på interaktion", "Läs", "Skriv", "Omgång", "Figur", "Tidsgräns", "Minnesgräns", "Argument", "Poäng", "Anmärkning"]),
];

impl StatementWords {
    /// The words for this language code, such as `pt-BR`; in English if juror has no others.
    pub(crate) fn of(code: &str) -> &'static Self {
        let language = code.split('-').next().unwrap_or(code);
        WORDS.iter().find(|words| words.language == language).unwrap_or(&WORDS[0])
    }
}

const fn words(language: &'static str, texts: [&'static str; 15]) -> StatementWords {
    let [input, output, interaction, sample_input, sample_output, sample_interaction, ..] = texts;
    let [.., read, write, pass, figure, time_limit, memory_limit, arguments, scoring, note] = texts;
    StatementWords {
        language,
        input,
        output,
        interaction,
        sample_input,
        sample_output,
        sample_interaction,
        read,
        write,
        pass,
        figure,
        time_limit,
        memory_limit,
        arguments,
        scoring,
        note,
    }
}

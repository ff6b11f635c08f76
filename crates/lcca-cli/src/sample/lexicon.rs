//! The words of the generated sentences, in English and in French, by topic.

/// An English phrase and the French one that means the same.
pub type Phrase = (&'static str, &'static str);

/// Who does something, and which form of French verbs it takes.
pub struct Subject {
    pub phrase: Phrase,
    pub person: Person,
}

/// The forms of a French verb that the subjects need, in the order of [`Topic::french`].
#[derive(Clone, Copy, PartialEq)]
pub enum Person {
    I,
    She,
    We,
    They,
}

/// The actions, objects and places of a topic. The words of a topic occur together, in both languages.
pub struct Topic {
    /// Without and with the ending of the third person.
    pub english: [&'static str; 2],
    pub french: [&'static str; 4],
    pub objects: &'static [Phrase],
    pub places: &'static [Phrase],
}

const fn subject(english: &'static str, french: &'static str, person: Person) -> Subject {
    Subject { phrase: (english, french), person }
}

pub const SUBJECTS: [Subject; 14] = [
    subject("I", "je", Person::I),
    subject("she", "elle", Person::She),
    subject("he", "il", Person::She),
    subject("we", "nous", Person::We),
    subject("they", "ils", Person::They),
    subject("Tom", "Tom", Person::She),
    subject("Mary", "Marie", Person::She),
    subject("my father", "mon père", Person::She),
    subject("my mother", "ma mère", Person::She),
    subject("the children", "les enfants", Person::They),
    subject("my brother", "mon frère", Person::She),
    subject("my sister", "ma sœur", Person::She),
    subject("the teacher", "le professeur", Person::She),
    subject("the neighbors", "les voisins", Person::They),
];

pub const TIMES: [Phrase; 18] = [
    ("today", "aujourd'hui"),
    ("often", "souvent"),
    ("in the morning", "le matin"),
    ("in the evening", "le soir"),
    ("tomorrow", "demain"),
    ("on Sunday", "le dimanche"),
    ("on Monday", "le lundi"),
    ("in summer", "en été"),
    ("in winter", "en hiver"),
    ("on Saturday", "le samedi"),
    ("on Tuesday", "le mardi"),
    ("on Wednesday", "le mercredi"),
    ("on Thursday", "le jeudi"),
    ("on Friday", "le vendredi"),
    ("in spring", "au printemps"),
    ("in autumn", "en automne"),
    ("with friends", "avec des amis"),
    ("alone", "sans compagnie"),
];

pub const TOPICS: [Topic; 12] = [
    Topic {
        english: ["eat", "eats"],
        french: ["mange", "mange", "mangeons", "mangent"],
        objects: &[
            ("bread", "du pain"),
            ("cheese", "du fromage"),
            ("an apple", "une pomme"),
            ("fish", "du poisson"),
            ("soup", "de la soupe"),
            ("rice", "du riz"),
            ("an egg", "un œuf"),
            ("cake", "du gâteau"),
        ],
        places: &[("in the kitchen", "dans la cuisine"), ("at the restaurant", "au restaurant")],
    },
    Topic {
        english: ["drink", "drinks"],
        french: ["bois", "boit", "buvons", "boivent"],
        objects: &[
            ("coffee", "du café"),
            ("tea", "du thé"),
            ("water", "de l'eau"),
            ("milk", "du lait"),
            ("wine", "du vin"),
            ("juice", "du jus"),
        ],
        places: &[("at the restaurant", "au restaurant"), ("on the terrace", "sur la terrasse")],
    },
    Topic {
        english: ["read", "reads"],
        french: ["lis", "lit", "lisons", "lisent"],
        objects: &[
            ("a book", "un livre"),
            ("the newspaper", "le journal"),
            ("a letter", "une lettre"),
            ("a poem", "un poème"),
            ("a story", "une histoire"),
            ("a dictionary", "un dictionnaire"),
        ],
        places: &[("at the library", "à la bibliothèque"), ("at school", "à l'école")],
    },
    Topic {
        english: ["play", "plays"],
        french: ["joue", "joue", "jouons", "jouent"],
        objects: &[
            ("football", "au football"),
            ("tennis", "au tennis"),
            ("chess", "aux échecs"),
            ("the piano", "du piano"),
            ("the guitar", "de la guitare"),
            ("the violin", "du violon"),
        ],
        places: &[("in the park", "dans le parc"), ("at school", "à l'école")],
    },
    Topic {
        english: ["buy", "buys"],
        french: ["achète", "achète", "achetons", "achètent"],
        objects: &[
            ("a coat", "un manteau"),
            ("a hat", "un chapeau"),
            ("shoes", "des chaussures"),
            ("a shirt", "une chemise"),
            ("an umbrella", "un parapluie"),
            ("flowers", "des fleurs"),
        ],
        places: &[("at the market", "au marché"), ("in town", "en ville")],
    },
    Topic {
        english: ["see", "sees"],
        french: ["vois", "voit", "voyons", "voient"],
        objects: &[
            ("a dog", "un chien"),
            ("a cat", "un chat"),
            ("a horse", "un cheval"),
            ("a bird", "un oiseau"),
            ("a rabbit", "un lapin"),
            ("a cow", "une vache"),
        ],
        places: &[("in the forest", "dans la forêt"), ("on the farm", "à la ferme")],
    },
    Topic {
        english: ["speak", "speaks"],
        french: ["parle", "parle", "parlons", "parlent"],
        objects: &[
            ("French", "français"),
            ("English", "anglais"),
            ("German", "allemand"),
            ("Japanese", "japonais"),
            ("Spanish", "espagnol"),
        ],
        places: &[("on the phone", "au téléphone"), ("at the office", "au bureau")],
    },
    Topic {
        english: ["take", "takes"],
        french: ["prends", "prend", "prenons", "prennent"],
        objects: &[
            ("the train", "le train"),
            ("the bus", "le bus"),
            ("the plane", "l'avion"),
            ("the boat", "le bateau"),
            ("a taxi", "un taxi"),
        ],
        places: &[("to London", "pour Londres"), ("to Boston", "pour Boston")],
    },
    Topic {
        english: ["visit", "visits"],
        french: ["visite", "visite", "visitons", "visitent"],
        objects: &[
            ("a museum", "un musée"),
            ("a castle", "un château"),
            ("a church", "une église"),
            ("the zoo", "le zoo"),
        ],
        places: &[("in Paris", "à Paris"), ("in Japan", "au Japon")],
    },
    Topic {
        english: ["wait for", "waits for"],
        french: ["attends", "attend", "attendons", "attendent"],
        objects: &[
            ("the doctor", "le médecin"),
            ("the nurse", "l'infirmière"),
            ("my uncle", "mon oncle"),
            ("an answer", "une réponse"),
        ],
        places: &[("at the hospital", "à l'hôpital"), ("at the station", "à la gare")],
    },
    Topic {
        english: ["clean", "cleans"],
        french: ["nettoie", "nettoie", "nettoyons", "nettoient"],
        objects: &[
            ("the window", "la fenêtre"),
            ("the floor", "le sol"),
            ("the table", "la table"),
            ("the car", "la voiture"),
        ],
        places: &[("in the house", "dans la maison"), ("in the garage", "dans le garage")],
    },
    Topic {
        english: ["write", "writes"],
        french: ["écris", "écrit", "écrivons", "écrivent"],
        objects: &[
            ("a letter", "une lettre"),
            ("a poem", "un poème"),
            ("a message", "un message"),
            ("an answer", "une réponse"),
        ],
        places: &[("at the office", "au bureau"), ("at school", "à l'école")],
    },
];

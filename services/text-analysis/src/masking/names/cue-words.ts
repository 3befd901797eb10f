// Words that tell a name from a word, per language. `any` holds for texts in every language.

/** Stands right before a name: Mr, Frau, señora. */
export const TITLE = 1;
/** Says that a name follows: named, heißt, se llama. */
export const NAMED = 2;
/** What somebody is at work; a name often follows: manager, Kollegin, jefe. */
export const ROLE = 4;
/** People come after it, though not only: with, von, gracias a. */
export const WITH = 8;
/** What people do; often right after a name: said, hilft, est. */
export const ACT = 16;
/** A place follows: in, nach, chez. */
export const LOCATIVE = 32;
/** Makes the capitalised words before it an organisation, a street or a thing. */
export const ORGANISATION = 64;
/** Belongs to the name before it: Jr, PhD. */
export const SUFFIX = 128;
/** Months, weekdays, holidays. */
export const CALENDAR = 256;
/** Belongs to the surname after it: van der, de la. */
export const PARTICLE = 512;
/** A noun follows: the, einen, sus. */
export const ARTICLE = 1024;
/** `name` itself: name is, nom :, naam. */
export const NAME_NOUN = 2048;

/** Makes the word after it a place: San Marco, Port Edward. */
export const PLACE_BEFORE = 4096;
/** People are thanked by name, however small it is written. */
export const THANKS = 8192;

/** Joins two of a kind. */
export const AND = 16384;

export type CueLanguage = 'any' | 'en' | 'de' | 'fr' | 'es' | 'nl';

export const CUE_WORDS: readonly (readonly [language: CueLanguage, cue: number, words: string])[] = [
  [
    'any',
    TITLE,
    'mr mrs ms dr prof professor herr herrn frau fraulein madame monsieur mme mlle mademoiselle sr sra srta senor senora senorita dhr mevr mevrouw meneer mw drs hr fr',
  ],
  ['en', TITLE, 'mister madam miss sir doctor'],
  ['fr', TITLE, 'm mm maitre'],
  ['es', TITLE, 'don dona d da'],
  ['nl', TITLE, 'heer juffrouw'],

  ['any', ROLE, 'manager managers supervisor boss teamlead ceo cto cfo coo cio chro vp svp evp'],
  [
    'en',
    ROLE,
    'lead leader director colleague colleagues coworker worker teammate teammates mentor president founder owner head chief foreman buddy coach trainer secretary assistant principal superintendent nurse recruiter intern apprentice partner sergeant captain coordinator specialist officer',
  ],
  [
    'de',
    ROLE,
    'chef chefs chefin vorgesetzte vorgesetzter vorgesetzten kollege kollegen kollegin kolleginnen leiter leiterin teamleiter teamleiterin teamleitung abteilungsleiter abteilungsleiterin gruppenleiter gruppenleiterin schichtleiter schichtleiterin projektleiter projektleiterin bereichsleiter bereichsleiterin filialleiter filialleiterin geschaftsfuhrer geschaftsfuhrerin direktor direktorin meister meisterin mitarbeiter mitarbeiterin mentor mentorin betreuer betreuerin ausbilder ausbilderin fuhrungskraft sekretarin assistentin',
  ],
  [
    'fr',
    ROLE,
    'chef cheffe responsable collegue collegues directeur directrice patron patronne manageur manageuse superieur superieure collaborateur collaboratrice tuteur tutrice encadrant encadrante president presidente formateur formatrice assistante secretaire coordinateur coordinatrice',
  ],
  [
    'es',
    ROLE,
    'jefe jefa companero companera companeros colega colegas supervisora encargado encargada director directora responsable gerente lider coordinador coordinadora gestora mentora tutora presidente presidenta secretaria',
  ],
  [
    'nl',
    ROLE,
    'leidinggevende leidinggevenden baas collega collegas directeur directrice teamleider teamleidster afdelingshoofd hoofd chef chefin teamchef begeleider begeleidster mentor bedrijfsleider filiaalmanager voorman praktijkbegeleider',
  ],

  ['en', NAMED, "named called nicknamed surnamed alias aka whos who's m im"],
  ['de', NAMED, 'namens heisst heist heise heissen heißt heiße genannt'],
  ['fr', NAMED, 'appelle appelles nomme nommee nommes prenomme prenommee surnomme'],
  ['es', NAMED, 'llamo llama llaman llamado llamada'],
  ['nl', NAMED, 'heet heette genaamd genoemd'],
  [
    'any',
    NAME_NOUN,
    'name names nombre naam nom apellido surname firstname lastname vorname nachname prenom voornaam achternaam',
  ],

  [
    'en',
    WITH,
    'with by starring featuring from to and for thanks thank ask asked hi hello hey dear or told tell contact met meet especially under against than between bye when because but until unless whether if that where mr while since after before about like love miss blame trust praise congratulate unlike',
  ],
  [
    'de',
    WITH,
    'mit von an danke dank und bei durch fur hallo liebe lieber oder frage fragen gegen uber wegen ohne seit unter besonders speziell weil dass wenn ob als sowie zu statt',
  ],
  [
    'fr',
    WITH,
    'avec par et merci de a chez pour bonjour chere cher surtout ou que contre depuis demander demandez sans entre selon car quand comme',
  ],
  [
    'es',
    WITH,
    'con por y e gracias a de hola para especialmente o que contra desde sin entre querida querido segun cuando porque como',
  ],
  [
    'nl',
    WITH,
    'met door van en aan dank bedankt hallo hoi beste vooral voor of dat vraag tegen sinds zonder over omdat bij tussen volgens als toen naar',
  ],

  [
    'en',
    ACT,
    'is was has had said says told tells helps helped always never does did gave gives keeps kept made makes and who shouted yells yelled asked asks treats treated left leads led manages managed knows knew wants wanted thinks goes went can could should would will must isn wasn doesn didn hasn s deserves supports supported got gets took takes became comes came really just also needs seems',
  ],
  [
    'de',
    ACT,
    'ist war hat hatte sagt sagte hilft half gibt gab macht machte kann konnte will wollte soll sollte wird wurde und immer nie leitet fuhrt fragt fragte schreit schrie lasst muss nimmt geht ging kommt kam weiss versteht redet ignoriert bekommt arbeitet kummert unterstutzt',
  ],
  [
    'fr',
    ACT,
    "est etait a avait dit disait aide et qui ne n fait faisait donne peut sait veut doit va crie nous m me gere dirige n'est toujours ecoute repond prend comprend travaille",
  ],
  [
    'es',
    ACT,
    'es era fue ha habia tiene dice dijo ayuda y que no nunca siempre hace da puede sabe quiere nos me grita esta dirige lleva debe le trata entiende escucha trabaja',
  ],
  [
    'nl',
    ACT,
    'is was heeft had zegt zei helpt hielp en die geeft gaf kan kon wil wilde moet doet deed altijd nooit luistert gaat weet maakt schreeuwt leidt laat neemt begrijpt werkt vraagt komt',
  ],

  ['en', LOCATIVE, 'in at near of outside across around throughout visit visited'],
  ['de', LOCATIVE, 'in nach aus im am bei standort'],
  ['fr', LOCATIVE, 'a en au aux vers dans sur'],
  ['es', LOCATIVE, 'en hacia'],
  ['nl', LOCATIVE, 'in te naar uit'],

  ['any', SUFFIX, 'jr sr jun sen ii iii iv phd md esq mba dds dvm'],
  [
    'any',
    PARTICLE,
    'de del della degli di da dos das do du van von der den ten ter la le el bin ibn al zu zum st mac mc los las t',
  ],
  [
    'any',
    CALENDAR,
    'january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday januar februar marz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre lundi mardi mercredi jeudi vendredi samedi dimanche enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miercoles jueves viernes sabado domingo januari februari maart mei juni augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag christmas easter',
  ],
  [
    'any',
    PLACE_BEFORE,
    'san santa santo saint sainte st port fort mount lake cape new north south east west isla ile villa bad sankt puerto ciudad monte rio el los las burkina sierra',
  ],
  ['any', AND, 'and und et y e en or oder ou of with mit avec con met'],
  ['any', THANKS, 'thanks thank thx kudos props shoutout dank danke merci bravo gracias bedankt dankjewel'],
  [
    'any',
    ORGANISATION,
    'inc ltd llc gmbh ag corp company companies group plc bv nv sarl sas university universitat universite universidad universiteit school college hospital klinikum bank hotel restaurant club park airport foundation institute award awards theatre theater stadium cafe shop store stores mall market church center centre zentrum museum brothers sons associates partners consulting consultants technologies technology systems software solutions services industries insurance airlines motors foods pharma labs studio studios street avenue road lane drive square platz plaza bridge tower island beach lake river county city valley',
  ],

  ['en', ARTICLE, 'the a an this that these those my your his her its our their no any some every each'],
  [
    'de',
    ARTICLE,
    'der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner unser unsere unseren unserem unserer kein keine keinen ihr ihre sein seine im am zum zur beim vom jeder jede jedes diese dieser dieses viel viele mehr',
  ],
  ['fr', ARTICLE, 'le la les l un une des du au aux mon ma mes notre nos votre vos son sa ses leur leurs ce cet cette ces'],
  ['es', ARTICLE, 'el la los las un una unos unas mi mis su sus nuestro nuestra nuestros este esta estos al del'],
  ['nl', ARTICLE, 'de het een mijn onze ons zijn haar hun deze dit die geen elke ieder'],
];

/** What makes the word right before and after it no person: firms, products and prizes that bear somebody's name. */
export const NAMED_THINGS: readonly string[] = [
  'jp morgan',
  'morgan stanley',
  'goldman sachs',
  'wells fargo',
  'ernst young',
  'johnson johnson',
  'johnson controls',
  'charles schwab',
  'edward jones',
  'merrill lynch',
  'raymond james',
  'booz allen',
  'allen hamilton',
  'hewlett packard',
  'harley davidson',
  'mercedes benz',
  'hugo boss',
  'calvin klein',
  'ralph lauren',
  'marks spencer',
  'john lewis',
  'john deere',
  'john hancock',
  'kelly services',
  'dale carnegie',
  'myers briggs',
  'arthur andersen',
  'price waterhouse',
  'ben jerry',
  'jack daniels',
  'trader joe',
  'papa john',
  'jimmy john',
  'albert heijn',
  'leroy merlin',
  'louis vuitton',
  'aldi nord',
  'max planck',
  'philip morris',
  'eli lilly',
  'thomas cook',
  'thomson reuters',
  'lloyds bank',
  'martin marietta',
  'lockheed martin',
  'foot locker',
  'sherwin williams',
  'williams sonoma',
  'sam club',
  'dick sporting',
  'burger king',
  'mary kay',
  'estee lauder',
  'bristol myers',
  'cushman wakefield',
  'jones lang',
  'lang lasalle',
  'power bi',
  'six sigma',
  'black belt',
  'green belt',
  'san francisco',
  'san diego',
  'san jose',
  'los angeles',
  'santa clara',
  'santa monica',
  'fort worth',
  'saint louis',
  'st louis',
  'st paul',
  'new york',
  'new jersey',
  'hong kong',
  'buenos aires',
];

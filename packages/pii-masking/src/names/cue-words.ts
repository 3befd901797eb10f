// Words that tell a name from a word. Which words these are, per language: lists/cues.txt.

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

/** The cues by the names that lists/cues.txt calls them. */
export const CUES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    TITLE,
    NAMED,
    ROLE,
    WITH,
    ACT,
    LOCATIVE,
    ORGANISATION,
    SUFFIX,
    CALENDAR,
    PARTICLE,
    ARTICLE,
    NAME_NOUN,
    PLACE_BEFORE,
    THANKS,
    AND,
  }),
);

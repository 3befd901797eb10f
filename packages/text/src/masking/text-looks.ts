import { DIGIT, KIND } from './letters.ts';

/** Properties of a text, found in one pass, that show which recognisers can be skipped. */
export interface TextLooks {
  readonly digits: number;
  // Longest run of digits, with at most three other characters than letters between them.
  readonly longestNumber: number;
  // Whether an @ or a slash is there, as in addresses of mail and profiles.
  readonly isAddressed: boolean;
  readonly colons: number;
}

const MAX_BETWEEN = 3;
const AT = 64;
const SLASH = 47;
const COLON = 58;

export function lookAt(text: string): TextLooks {
  let digits = 0;
  let number = 0;
  let longestNumber = 0;
  let between = 0;
  let isAddressed = false;
  let colons = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (KIND[unit] === DIGIT) {
      digits++;
      number = between > MAX_BETWEEN ? 1 : number + 1;
      between = 0;
      if (number > longestNumber) longestNumber = number;
    } else {
      between++;
      if (unit === AT || unit === SLASH) isAddressed = true;
      else if (unit === COLON) colons++;
    }
  }
  return { digits, longestNumber, isAddressed, colons };
}

const PRAISE = `👍👏🙌💪🤝👌🙏✌🤟🤘🤙🫶😀😃😄😁😆😅😊🙂☺😇🥰😍🤩😘😗😚😙😋😛😜😎🤗🥳😌😉😂🤣😸😺😻😹🤠🙆❤🧡💛💚💙💜🤎🤍💕💞💓💗💖💘💝💟♥❣💯🔥⭐🌟✨
  🎉🎊🏆🥇🏅🚀✅✔☑🌈☀🌞💐🌹🌸🌷🍀👑💎🆒🆗🕺💃🥂🍻🍾🎂🎁🎈🫡📈➕🥹🔝🌻👊🎯🤓🤞🤑💰`;
const CRITICISM = `👎😠😡🤬😤😞😔😟😕🙁☹😣😖😫😩😢😭😥😓😰😨😱😧😦😒🙄😑😬😪😴🥱🤢🤮🤧😷🤒🤕😵💩💔🖕❌✖⛔🚫😾😿🙀🤦👿😈💀☠🤡🥵🥶🥺🗑📉➖🚩⚠🐌🪦⚰💣🙅🆘🤥🙃
  👹👺🤨😳🤯🫤🥴🫠🛑🧨💤💨`;
const EMOTICONS_OF_PRAISE = [':)', ';)', '=)', ':d', ';d', '=d', 'xd', '<3', '^^', ':p', ';p'];
const EMOTICONS_OF_CRITICISM = [':(', ';(', '=(', ':/', ':|', '</3'];

const LEANING: ReadonlyMap<string, 1 | -1> = new Map([
  ...withLeaning([...Array.from(PRAISE), ...EMOTICONS_OF_PRAISE], 1),
  ...withLeaning([...Array.from(CRITICISM), ...EMOTICONS_OF_CRITICISM], -1),
]);

const IS_EMOJI = /^[^\p{L}\p{N}]/u;

/** Whether a word of `readWords` is an emoji or emoticon. */
export const isEmoji = (folded: string): boolean => IS_EMOJI.test(folded) || folded === 'xd';

/** Returns 1 for an emoji that praises, -1 for one that criticises, and 0 for any other word. */
export const emojiLeaning = (folded: string): 1 | 0 | -1 => LEANING.get(folded.replace(/['’-]/gu, '')) ?? 0;

function withLeaning(signs: readonly string[], leaning: 1 | -1): readonly (readonly [string, 1 | -1])[] {
  return signs.map((sign) => [sign, leaning]);
}

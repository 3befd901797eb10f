const PRAISE = `👍👏🙌💪🤝👌🙏✌🤟🤘🤙🫶😀😃😄😁😊🙂☺😇🥰😍🤩😘😗😚😙😋😛😜😎🤗🥳😌😉😸😺😻😹🤠🙆❤🧡💛💚💙💜🤎🤍💕💞💓💗💖💘💝💟♥❣💯🔥⭐🌟✨
  🎉🎊🏆🥇🏅🚀✅✔☑🌈☀🌞💐🌹🌸🌷🍀👑💎🆒🆗🕺💃🥂🍻🍾🎂🎁🎈🫡📈➕🥹🔝🌻👊🎯🤓🤞🤑💰`;
const CRITICISM = `👎😠😡🤬😤😞😔😟😕🙁☹😣😖😫😩😢😭😥😓😰😨😱😧😦😒🙄😑😬😪😴🥱🤢🤮🤧😷🤒🤕😵💩💔🖕❌✖⛔🚫😾😿🙀🤦👿😈💀☠🤡🥵🥶🥺🗑📉➖🚩⚠🐌🪦⚰💣🙅🆘🤥🙃
  👹👺🤨😳🤯🫤🥴🫠🛑🧨💤💨`;
const EMOTICONS_OF_PRAISE = [':)', ';)', '=)', ':d', ';d', '=d', 'xd', '<3', '^^', ':p', ';p'];
const EMOTICONS_OF_CRITICISM = [':(', ';(', '=(', ':/', ':|', '</3'];

// Laughter, which also stands beside criticism.
const LAUGHTER = '😂🤣😆😅';

const LEANING: ReadonlyMap<string, number> = new Map([
  ...withLeaning(Array.from(LAUGHTER), 0.5),
  ...withLeaning([...Array.from(PRAISE), ...EMOTICONS_OF_PRAISE], 1),
  ...withLeaning([...Array.from(CRITICISM), ...EMOTICONS_OF_CRITICISM], -1),
]);

const IS_EMOJI = /^[^\p{L}\p{N}]/u;

/** Whether a word of `readWords` is an emoji or emoticon. */
export const isEmoji = (folded: string): boolean => IS_EMOJI.test(folded) || folded === 'xd';

/** Returns more than 0 for an emoji that praises, -1 for one that criticises, or else 0. */
export const emojiLeaning = (folded: string): number => LEANING.get(folded.replace(/['’-]/gu, '')) ?? 0;

function withLeaning(signs: readonly string[], leaning: number): readonly (readonly [string, number])[] {
  return signs.map((sign) => [sign, leaning]);
}

import type { TopicView } from '@survey/text-analysis/topics/categoriser.ts';

// Written only from the topic names, as an account admin would do.
const KEYWORDS: Readonly<Record<string, string>> = {
  food: `food, dish, dishes, meal, drink, drinks, wine, beer, cocktail, taste, tasty, delicious, menu, pizza, pasta, sushi, chicken, fish, steak, dessert, appetizer, salad, soup, sauce,
    flavor, portion, portions, fresh, bread, rice, cheese, burger, lunch, dinner, brunch, eat, ate, cuisine`,
  service: `service, staff, waiter, waitress, server, servers, waitstaff, bartender, hostess, host, manager, rude, friendly, attentive, slow, waited, order, delivery`,
  staff: `staff, waiter, waitress, server, servers, waitstaff, bartender, hostess, host, manager, owner, chef, busboy, rude, friendly`,
  price: `price, prices, priced, pricey, cost, costs, expensive, cheap, inexpensive, overpriced, value, worth, bill, money, dollars, affordable, reasonable, deal`,
  ambience: `ambience, ambiance, atmosphere, decor, decoration, music, noise, noisy, loud, cozy, romantic, crowded, room, seating, space, lighting, interior, vibe, scene, setting,
    beautiful, quiet`,
  place: `place, restaurant, spot, location, neighborhood, area, room, table, tables, seating, bar, patio, garden, street`,
  menu: `menu, list, selection, choice, choices, options, specials, prix fixe, variety`,
};

/** Topics of the restaurant sets (SemEval-2014, MAMS); `miscellaneous` covers all other answers. */
export const RESTAURANT_TOPICS: readonly TopicView[] = Object.entries(KEYWORDS).map(([name, keywords], topicId) => ({
  topicId,
  name,
  keywords: new Map([['en', keywords.split(/\s*,\s*/u)]]),
}));

import { alertsPage } from '../.vitepress/alerts-page.ts';
import { commandsPage } from '../.vitepress/commands-page.ts';
import { messagesPage } from '../.vitepress/messages-page.ts';

const PAGES = { surveyctl: commandsPage, messages: messagesPage, alerts: alertsPage };

/** Generates the reference pages from the sources that the product itself uses. */
export default {
  paths: () => Promise.all(Object.entries(PAGES).map(async ([page, write]) => ({ params: { page }, content: await write() }))),
};

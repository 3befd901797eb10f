import { secondsLeft } from '../session/session.ts';
import type { Visit } from '../visit.ts';
import { html, none, type Html } from './html.ts';

/**
 * Renders when the session ends. With script, console.js shows the warning two minutes before, and
 * the button extends the session without losing what the user has typed.
 */
export function sessionEnd({ session, services, texts, format }: Visit): Html {
  if (session === undefined) return none;
  const { session: t } = texts;
  const seconds = secondsLeft(session, services.sessionLimits);
  const end = format.clock(new Date(session.foundAt + seconds * 1_000).toISOString());
  return html`<div id="session" class="session" role="status" data-seconds="${seconds}">
    <p class="muted small">${t.endsAt(end)}</p>
    <div class="note w" hidden>
      <div>
        <h2>${t.endsSoon(end)}</h2>
        <p>
          <button type="button" hx-get="/session" hx-target="#session" hx-swap="outerHTML">${t.stay}</button>
        </p>
      </div>
    </div>
  </div>`;
}

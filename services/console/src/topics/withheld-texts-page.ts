import type { WithheldAnswer } from '@survey/proto/text/v1/topics.ts';
import { formPage, integerIn, isReason, rejection } from '../views/form-results.ts';
import { html } from '../views/html.ts';
import { at, form, table, type FieldErrors } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { reasonFoot } from './topic-answers-page.ts';

const PAGE = 25;

/** Shows the texts that admins have withheld, and releases one again (rule TEXTS-WITHHELD-1). */
export async function getWithheld(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, format, query, form: typed } = visit;
  const { topics: t, common } = texts;
  const offset = integerIn(query, 'from') ?? 0;
  const { answers, total } = await visit.topics.listWithheldAnswers({ limit: PAGE, offset });
  const last = Math.min(offset + PAGE, total);
  const cell = ({ handle, text }: WithheldAnswer) => {
    const checked = typed.get('answer') === handle && html` checked`;
    return html`<label class="check"
      ><input type="radio" name="answer" value="${handle}" ${checked} /> <span class="text">${text}</span></label
    >`;
  };
  const body = form(
    visit,
    at(visit, '/withheld'),
    html`${table(t.withheldTexts, [{ title: t.text, cell }], answers, t.noWithheld)}
    ${
      answers.length > 0 &&
      html`<div class="tfoot">
          <span>${t.range(format.number(offset + 1), format.number(last), format.number(total))}</span
          >${last < total && html`<a href="?from=${last}">${common.next}</a>`}
        </div>
        <div class="stuck">
          ${reasonFoot(visit, { label: t.releaseReason, button: t.release, aside: t.reassignAside, errors })}
        </div>`
    }`,
  );
  const crumb = { path: at(visit, '/topics'), text: t.title };
  return formPage(visit, t.withheldTexts, { section: 'topics', lead: t.withheldLead, crumb, errors }, body);
}

export async function postRelease(visit: AccountVisit): Promise<Reply> {
  const { texts, form: typed } = visit;
  const { topics: t } = texts;
  const handle = typed.get('answer');
  const reason = (typed.get('reason') ?? '').trim();
  if (handle === null) return getWithheld(visit, { answer: t.releaseOne });
  if (!isReason(reason)) return getWithheld(visit, { reason: texts.form.reasonError });
  try {
    await visit.topics.withholdAnswer({ handle, is_withheld: false, reason });
  } catch (error) {
    return getWithheld(visit, { answer: rejection(visit, error, { not_found: t.goneWithheld }) });
  }
  return { redirect: at(visit, '/withheld?done=releasedAgain') };
}

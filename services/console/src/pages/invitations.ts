import type { Invitation } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, foot, form, formFields, panel, section, table, textField, type Column, type FieldErrors } from '../views/parts.ts';
import type { AccountVisit } from '../visit.ts';

/** Renders the invited users; operators can invite others and withdraw invitations. */
export function invitationSection(visit: AccountVisit, invitations: readonly Invitation[], errors: FieldErrors): Html {
  const { texts, format, session } = visit;
  const { admins: t } = texts;
  if (!session.isOperator && invitations.length === 0) return none;
  const columns: Column<Invitation>[] = [
    { title: t.email, cell: ({ email }) => email },
    { title: t.invitationEnds, cell: ({ ends_at }) => format.time(ends_at) },
    { title: t.invitationUsed, isOptional: true, cell: ({ is_used }) => (is_used ? t.signedIn : t.notSignedIn) },
  ];
  if (session.isOperator)
    columns.push({
      title: texts.common.actions,
      isNumber: true,
      isAction: true,
      cell: ({ email }) => withdrawForm(visit, email),
    });
  const list = panel(table<Invitation>(t.invitations, columns, invitations, t.noInvitations));
  return section(t.invitations, session.isOperator ? html`${list}${inviteForm(visit, errors)}` : list);
}

function withdrawForm(visit: AccountVisit, email: string): Html {
  const path = at(visit, '/admins/withdraw');
  return html`<form method="post" action="${path}">
    ${formFields(visit, path)}<input type="hidden" name="email" value="${email}" /><button class="btn link">
      ${visit.texts.admins.withdraw}<span class="sr"> ${email}</span>
    </button>
  </form>`;
}

function inviteForm(visit: AccountVisit, errors: FieldErrors): Html {
  const { admins: t } = visit.texts;
  const value = visit.form.get('email') ?? '';
  const field = textField('email', { label: t.inviteEmail, hint: t.inviteHint, value, maxLength: 254, error: errors['email'] });
  return html`<div class="block">${form(visit, at(visit, '/admins/invite'), html`${field}${foot(t.invite)}`)}</div>`;
}

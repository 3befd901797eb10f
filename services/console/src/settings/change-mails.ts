import { rejection } from '../views/form-results.ts';
import { at } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { KINDS, SCHEDULES } from './mail-settings.ts';
import { changeSettings, getSettings } from './settings-page.ts';

export async function postMails(visit: AccountVisit): Promise<Reply> {
  const { form: typed } = visit;
  const schedule = SCHEDULES.find((each) => each === typed.get('schedule')) ?? 'learned';
  const hour = typed.get('hour') ?? '';
  const change = {
    notices_off: { kinds: KINDS.filter((kind) => !typed.getAll('kind').includes(kind)) },
    import_schedule: schedule,
    ...(schedule !== 'learned' && /^\d{1,2}$/.test(hour) && { import_schedule_hour: Number(hour) }),
  };
  return changeSettings(visit, change, 'schedule');
}

/** Asks the owner of an address to confirm it. */
export async function postAddress(visit: AccountVisit): Promise<Reply> {
  const { mailSettings: t } = visit.texts;
  const email = (visit.form.get('address') ?? '').trim();
  const { addresses: all } = await visit.admin.showNotices({});
  if (all.some((each) => each.email === email && each.state === 'confirmed'))
    return getSettings(visit, { address: t.isConfirmed });
  try {
    await visit.admin.addNoticeAddress({ email, language: visit.form.get('language') === 'de' ? 'de' : 'en' });
  } catch (error) {
    return getSettings(visit, { address: rejection(visit, error, { invalid: t.notAnAddress, conflict: t.askedTooOften }) });
  }
  return { redirect: at(visit, '/settings?done=asked#addresses') };
}

export async function postRemoveAddress(visit: AccountVisit): Promise<Reply> {
  const id = Number(visit.params['address']);
  const { addresses: all } = await visit.admin.showNotices({});
  // A second click finds the address gone.
  if (all.some((each) => each.id === id)) await visit.admin.removeNoticeAddress({ id });
  return { redirect: at(visit, '/settings?done=removed#addresses') };
}

-- An invitation that was used outlives its end, so that the audit can name who acted by it. It frees
-- its address, as an offboarded employee does.
alter table admin.invitation alter column email_key drop not null;

-- Ends the invitations of these addresses for a service, as the audit says. Those that nobody has used
-- are deleted.
create function admin.end_invitations(wanted_account bigint, keys text[], by_service text) returns void
  language plpgsql set search_path = ''
  as $$
    declare
      ended bigint[];
      one bigint;
    begin
      select coalesce(array_agg(i.id), '{}') into ended from admin.invitation i where i.account_id = wanted_account and i.email_key = any(keys);
      delete from admin.invitation i where i.account_id = wanted_account and i.id = any(ended) and i.subject is null;
      update admin.invitation i set ends_at = least(i.ends_at, now()), email_key = null
      where i.account_id = wanted_account and i.id = any(ended);
      foreach one in array ended loop
        insert into admin.audit (account_id, actor, actor_kind, action, before)
        values (wanted_account, by_service, 'service', 'admin.invite.end', jsonb_build_object('id', one));
      end loop;
    end
  $$;

create or replace function admin.employee_data(wanted_account bigint, wanted_employee bigint) returns jsonb
  language plpgsql stable security definer set search_path = ''
  as $$
    #variable_conflict use_column
    begin
      return (
        select jsonb_build_object(
          'sign_ins', coalesce((
            select jsonb_agg(jsonb_build_object('issuer', i.issuer, 'subject', i.subject, 'linked_at', i.linked_at,
              'last_sign_in_at', i.last_sign_in_at) order by i.issuer)
            from admin.identity i where i.account_id = wanted_account and i.employee_id = wanted_employee), '[]'),
          'invitations', coalesce((
            select jsonb_agg(jsonb_build_object('email', i.email, 'ends_at', i.ends_at) order by i.id)
            from admin.invitation i join imports.employee e on e.account_id = i.account_id and imports.email_key(e.email) = imports.email_key(i.email)
            where i.account_id = wanted_account and e.id = wanted_employee and e.email <> ''), '[]'),
          'audited_actions', coalesce((
            select jsonb_agg(jsonb_build_object('at', a.recorded_at, 'action', a.action, 'reason', a.reason, 'address', a.address) order by a.id)
            from admin.audit a where a.account_id = wanted_account and a.actor_employee_id = wanted_employee), '[]'))
      );
    end
  $$;

-- With the last entry that an invitation could have made, the invitation goes.
create or replace function admin.delete_expired_audit(wanted_account bigint, default_days double precision) returns bigint
  language plpgsql security definer set search_path = ''
  as $$
    declare
      kept interval := admin.retention_days(wanted_account, 'audit', default_days) * interval '1 day';
      deleted bigint;
    begin
      delete from admin.audit l
      where l.account_id = wanted_account and l.recorded_at < now() - kept and l.id = any(array(
        select o.id from admin.audit o where o.account_id = wanted_account order by o.id limit 5000));
      get diagnostics deleted = row_count;
      delete from admin.invitation i where i.account_id = wanted_account and i.ends_at < now() - kept;
      return deleted;
    end
  $$;

grant select (account_id, email_key, ends_at) on admin.invitation to survey_imports;
grant select, update, delete on admin.invitation to survey_definer;
call run_as_definer('admin.end_invitations', 'survey_imports');

comment on column admin.invitation.email is
  'Personal data: e-mail address of an invited account admin. Purpose: sign-in before the first import; history of changes. Kept: until the invitation ends; if it was used, as long as the audit; until the employee is erased or the account is deleted.';
comment on column admin.invitation.email_key is
  'Personal data: e-mail address of an invited account admin. Purpose: sign-in before the first import. Kept: until the invitation is withdrawn or ends, the employee is erased or the account is deleted.';
comment on column admin.invitation.subject is
  'Personal data: id of an account admin at their issuer. Purpose: sign-in before the first import; history of changes. Kept: as long as the audit, or until the account is deleted; a keyed hash once the employee is erased.';

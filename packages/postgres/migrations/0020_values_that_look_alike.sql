-- Up Migration

-- Values of attributes are compared in NFC (rule IMPORT-ATTRIBUTES-VALUES-1), and what people may take
-- for one value is told (rule IMPORT-ATTRIBUTES-VALUES-5).

-- What people take a value for: without case, white space and format characters.
-- In plpgsql, which keeps the plan of what it calls: in SQL, each call would plan it again.
create function imports.value_look(value text) returns text
  language plpgsql immutable strict parallel safe set search_path = ''
  as $$
    begin
      if value ~ '^[\u0001-\u007f]*$' then
        return lower(regexp_replace(value, '[\u0001-\u0020]', '', 'g') collate "C");
      end if;
      return translate(replace(imports.fold_case(regexp_replace(
        normalize(value),
        '[\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]', '', 'g'
      )), 'ß', 'ss'), 'İı', 'ii');
    end
  $$;

grant update (name) on imports.attribute_option to survey_definer;
grant update (dictionary_version) on imports.account_state to survey_definer;
set role survey_definer;

-- Where an attribute has a value in both forms, the next import moves its employees to the composed
-- one.
with renamed as (
  update imports.attribute_option o set name = c.composed
  from (
    select distinct on (account_id, attribute_id, composed) account_id, attribute_id, id, composed
    from imports.attribute_option, lateral (select normalize(name) as composed) c
    where name is not nfc normalized
    order by account_id, attribute_id, composed, id
  ) c
  where o.account_id = c.account_id and o.id = c.id and not exists (
    select from imports.attribute_option t
    where t.account_id = c.account_id and t.attribute_id = c.attribute_id and t.name = c.composed)
  returning o.account_id
)
update imports.account_state s set dictionary_version = dictionary_version + 1
from (select distinct account_id from renamed) r where s.account_id = r.account_id;

-- Not by `reset role`, which Citus would pass on to other nodes together with the whole file.
select set_config('role', 'none', false);

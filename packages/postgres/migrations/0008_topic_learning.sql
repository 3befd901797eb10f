-- Up Migration

-- What answers are about: names that topics go on being found by, and when all answers of an account are looked at again.

-- Names that answers show the topic by, beside its keywords, when they are not simply its name: that of its beginning, and those of topics merged
-- into it. A new name alone finds nothing: a rename changes no assignment (ruling X41).
alter table text.topic add column found_by text[];

-- In whose language an account's first topics are named.
grant select on admin.integration to survey_text;

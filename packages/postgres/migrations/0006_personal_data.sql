-- The comments say which columns have personal data. docs/reference/personal-data.md is generated
-- from them; a migration that adds such a column comments on it.
comment on column admin.account_deletion.requested_by is
  'Personal data: name that the operator gives. Purpose: certificate of the deletion. Kept: always.';
comment on column admin.api_key.created_by is
  'Personal data: name of an operator, or admin. Purpose: history of keys. Kept: until the account is deleted.';
comment on column admin.audit.actor is
  'Personal data: name of an operator, or admin. Purpose: history of changes. Kept: retain-audit of the account, else AUDIT_RETENTION_DAYS; by default always.';
comment on column admin.audit.actor_employee_id is
  'Personal data: id of an account admin. Purpose: history of changes. Kept: retain-audit of the account, else AUDIT_RETENTION_DAYS; by default always; the address is read from imports.employee as long as it is there.';
comment on column admin.audit.reason is
  'Personal data: reason that the operator or account admin wrote. Purpose: history of changes. Kept: retain-audit of the account, else AUDIT_RETENTION_DAYS; by default always.';
comment on column admin.audit.address is
  'Personal data: IP address of the caller. Purpose: investigation of misuse. Kept: retain-audit of the account, else AUDIT_RETENTION_DAYS; by default always.';
comment on column admin.identity.subject is
  'Personal data: id of an account admin at their issuer. Purpose: sign-in to the web console. Kept: until the employee is erased or the account is deleted.';
comment on column admin.identity.employee_id is
  'Personal data: account admin. Purpose: sign-in to the web console. Kept: until the employee is erased or the account is deleted.';
comment on column admin.identity.last_sign_in_at is
  'Personal data: time of the last sign-in. Purpose: list of account admins. Kept: until the employee is erased or the account is deleted.';
comment on column admin.invitation.email is
  'Personal data: e-mail address of an invited account admin. Purpose: sign-in before the first import. Kept: until the invitation is withdrawn or ends, the employee is erased or the account is deleted.';
comment on column admin.invitation.email_key is
  'Personal data: e-mail address of an invited account admin. Purpose: sign-in before the first import. Kept: until the invitation is withdrawn or ends, the employee is erased or the account is deleted.';
comment on column admin.invitation.subject is
  'Personal data: id of an account admin at their issuer. Purpose: sign-in before the first import. Kept: until the invitation is withdrawn or ends, the employee is erased or the account is deleted.';
comment on column imports.employee.id is
  'Personal data: employee. Purpose: reference in all other data. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.import_id is
  'Personal data: id in the customer''s HR system. Purpose: matching of snapshots and facts. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.email is
  'Personal data: e-mail address. Purpose: identity, sign-in, summaries; masking of texts. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.email_key is
  'Personal data: e-mail address. Purpose: identity, sign-in, summaries. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.firstname is
  'Personal data: name. Purpose: lists; masking of texts. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.lastname is
  'Personal data: name. Purpose: lists; masking of texts. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.language is
  'Personal data: language. Purpose: language of summaries. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.role is
  'Personal data: role. Purpose: access to results and to the web console. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.is_deleted is
  'Personal data: whether the employee is offboarded. Purpose: lists. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.offboarded_at is
  'Personal data: time of the last offboarding. Purpose: retention. Kept: until the employee returns, is erased or the account is deleted.';
comment on column imports.employee.supervisor_id is
  'Personal data: supervisor. Purpose: access to results. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.option_ids is
  'Personal data: attribute values, such as the department or age group. Purpose: lists; filters of texts. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.all_data is
  'Personal data: access to results. Purpose: access to results. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.granted_option_ids is
  'Personal data: access to results. Purpose: access to results. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee.content_hash is
  'Personal data: salted hash of the last record. Purpose: imports skip unchanged records. Kept: until the employee is erased or the account is deleted.';
comment on column imports.erased_employee.employee_id is
  'Personal data: erased employee, without name. Purpose: facts about them are rejected. Kept: until the account is deleted.';
comment on column imports.erased_employee.import_id is
  'Personal data: id in the customer''s HR system. Purpose: services find what to erase. Kept: until every service has erased the employee.';
comment on column imports.erased_employee.email is
  'Personal data: e-mail address. Purpose: services find what to erase. Kept: until every service has erased the employee.';
comment on column imports.erased_employee.firstname is
  'Personal data: name. Purpose: masking of texts. Kept: until every service has erased the employee.';
comment on column imports.erased_employee.lastname is
  'Personal data: name. Purpose: masking of texts. Kept: until every service has erased the employee.';
comment on column imports.erased_employee.import_id_hash is
  'Personal data: keyed hash of the import id. Purpose: snapshots skip the employee. Kept: until the return is allowed or the account is deleted.';
comment on column imports.erased_employee.email_hash is
  'Personal data: keyed hash of the e-mail address. Purpose: snapshots skip the employee. Kept: until the return is allowed or the account is deleted.';
comment on column imports.erased_employee.offboarded_at is
  'Personal data: time of the offboarding, after an erasure by retention. Purpose: bodies that may have the employee. Kept: until the account is deleted.';
comment on column imports.employee_revision.employee_id is
  'Personal data: employee. Purpose: order of facts. Kept: until the employee is erased or the account is deleted.';
comment on column imports.employee_revision.digest is
  'Personal data: hash of a fact about the employee. Purpose: order of facts. Kept: until the employee is erased or the account is deleted.';
comment on column imports.attribute_option.name is
  'Personal data: attribute value; of one employee when no other has it. Purpose: lists; filters of texts. Kept: until the account is deleted.';
comment on column imports.payload.data is
  'Personal data: the snapshot as received. Purpose: import; threshold override. Kept: until the import ends, or ALLOW_DELETES_DAYS.';
comment on column imports.record_result.import_id is
  'Personal data: id in the customer''s HR system. Purpose: outcome of each record. Kept: retain-outcomes of the account, else IMPORT_RETENTION_DAYS.';
comment on column imports.record_result.reasons is
  'Personal data: what is wrong with the record, without its values. Purpose: outcome of each record. Kept: retain-outcomes of the account, else IMPORT_RETENTION_DAYS.';
comment on column imports.record_result.warnings is
  'Personal data: what is wrong with the record, without its values. Purpose: outcome of each record. Kept: retain-outcomes of the account, else IMPORT_RETENTION_DAYS.';
comment on column imports.offboarding.employee_id is
  'Personal data: offboarded employee. Purpose: list of offboarded employees. Kept: retain-outcomes of the account, else IMPORT_RETENTION_DAYS.';
comment on column imports.mail.sent_to is
  'Personal data: account admins who received the mail. Purpose: no mail is sent twice. Kept: summary: retain-outcomes of the account, else IMPORT_RETENTION_DAYS; change of the guard: until all are sent.';
comment on column imports.deferred_fact.object_id is
  'Personal data: employee, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, the employee is erased or the account is deleted.';
comment on column imports.deferred_fact.employee_id is
  'Personal data: employee, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, the employee is erased or the account is deleted.';
comment on column imports.deferred_fact.employee_import_id is
  'Personal data: employee, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, the employee is erased or the account is deleted.';
comment on column imports.deferred_fact.digest is
  'Personal data: employee, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, the employee is erased or the account is deleted.';
comment on column imports.deferred_fact.fact is
  'Personal data: a fact about an employee. Purpose: retry. Kept: until the missing object exists, the employee is erased or the account is deleted.';
comment on column export.deferred_fact.object_id is
  'Personal data: the object and the employee that the fact names, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, the employee is erased or the account is deleted.';
comment on column export.deferred_fact.missing_object is
  'Personal data: the object and the employee that the fact names, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, the employee is erased or the account is deleted.';
comment on column export.deferred_fact.digest is
  'Personal data: the object and the employee that the fact names, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, the employee is erased or the account is deleted.';
comment on column export.deferred_fact.fact is
  'Personal data: an assignment or initiative. Purpose: retry. Kept: until the missing object exists, the employee is erased or the account is deleted.';
comment on column scoring.deferred_fact.object_id is
  'Personal data: the object and the employee that the fact names, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, retain-answers of the account, else ANSWER_RETENTION_DAYS, has passed, the employee is erased or the account is deleted.';
comment on column scoring.deferred_fact.missing_object is
  'Personal data: the object and the employee that the fact names, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, retain-answers of the account, else ANSWER_RETENTION_DAYS, has passed, the employee is erased or the account is deleted.';
comment on column scoring.deferred_fact.digest is
  'Personal data: the object and the employee that the fact names, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, retain-answers of the account, else ANSWER_RETENTION_DAYS, has passed, the employee is erased or the account is deleted.';
comment on column scoring.deferred_fact.fact is
  'Personal data: a response. Purpose: retry. Kept: until the missing object exists, retain-answers of the account, else ANSWER_RETENTION_DAYS, has passed, the employee is erased or the account is deleted.';
comment on column text.deferred_fact.object_id is
  'Personal data: the object and the employee that the fact names, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, retain-answers of the account, else ANSWER_RETENTION_DAYS, has passed, the employee is erased or the account is deleted.';
comment on column text.deferred_fact.missing_object is
  'Personal data: the object and the employee that the fact names, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, retain-answers of the account, else ANSWER_RETENTION_DAYS, has passed, the employee is erased or the account is deleted.';
comment on column text.deferred_fact.digest is
  'Personal data: the object and the employee that the fact names, and a hash of the fact. Purpose: retry. Kept: until the missing object exists, retain-answers of the account, else ANSWER_RETENTION_DAYS, has passed, the employee is erased or the account is deleted.';
comment on column text.deferred_fact.fact is
  'Personal data: a response with its texts. Purpose: retry. Kept: until the missing object exists, retain-answers of the account, else ANSWER_RETENTION_DAYS, has passed, the employee is erased or the account is deleted.';
comment on column imports.outbox.payload is
  'Personal data: ids of employees. Purpose: events. Kept: 1 day after it is sent.';
comment on column export.survey.access_employee_ids is
  'Personal data: employees with access to a survey. Purpose: list of surveys. Kept: until the employee is erased or the account is deleted.';
comment on column export.survey.access_import_ids is
  'Personal data: employees with access to a survey. Purpose: list of surveys. Kept: until the employee is erased or the account is deleted.';
comment on column export.assignment.employee_id is
  'Personal data: employee who is invited to a survey. Purpose: list of assignments. Kept: until the employee is erased or the account is deleted.';
comment on column export.initiative.assignee_id is
  'Personal data: assignee and creator. Purpose: list of initiatives. Kept: until the employee is erased or the account is deleted.';
comment on column export.initiative.assignee_import_id is
  'Personal data: assignee and creator. Purpose: list of initiatives. Kept: until the employee is erased or the account is deleted.';
comment on column export.initiative.creator_id is
  'Personal data: assignee and creator. Purpose: list of initiatives. Kept: until the employee is erased or the account is deleted.';
comment on column export.initiative.creator_import_id is
  'Personal data: assignee and creator. Purpose: list of initiatives. Kept: until the employee is erased or the account is deleted.';
comment on column export.initiative.title is
  'Personal data: free text of the creator; may name employees. Purpose: list of initiatives. Kept: until the account is deleted.';
comment on column export.initiative.notes is
  'Personal data: free text of the creator; may name employees. Purpose: list of initiatives. Kept: until the account is deleted.';
comment on column scoring.respondent.employee_id is
  'Personal data: employee who has responded, and their number in the account. Purpose: distinct respondents. Kept: until the employee is erased or the account is deleted.';
comment on column scoring.respondent.ordinal is
  'Personal data: employee who has responded, and their number in the account. Purpose: distinct respondents. Kept: until the employee is erased or the account is deleted.';
comment on column scoring.response.id is
  'Personal data: response, and a hash of the fact. Purpose: order of facts. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column scoring.response.digest is
  'Personal data: response, and a hash of the fact. Purpose: order of facts. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column scoring.response.respondent is
  'Personal data: number of the respondent, and their attribute values then. Purpose: scores. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column scoring.response.option_ids is
  'Personal data: number of the respondent, and their attribute values then. Purpose: scores. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column scoring.response.submitted_us is
  'Personal data: time of the response. Purpose: scores of a period. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column scoring.answer.submitted_us is
  'Personal data: time of the response. Purpose: scores of a period. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column scoring.removed_answer.submitted_us is
  'Personal data: time of the response. Purpose: scores of a period. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column scoring.block.respondents is
  'Personal data: numbers of the respondents whose answers are released together. Purpose: disclosure guard. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column scoring.answer.respondent is
  'Personal data: number of the respondent, and their numeric answer. Purpose: scores. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column scoring.answer.choice is
  'Personal data: number of the respondent, and their numeric answer. Purpose: scores. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column scoring.removed_answer.respondent is
  'Personal data: number of the respondent, and their numeric answer. Purpose: scores. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column scoring.removed_answer.choice is
  'Personal data: number of the respondent, and their numeric answer. Purpose: scores. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column text.respondent.employee_id is
  'Personal data: employee who has responded, and their number in the account. Purpose: distinct respondents. Kept: until the employee is erased or the account is deleted.';
comment on column text.respondent.ordinal is
  'Personal data: employee who has responded, and their number in the account. Purpose: distinct respondents. Kept: until the employee is erased or the account is deleted.';
comment on column text.response.id is
  'Personal data: response, and a hash of the fact. Purpose: order of facts. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column text.response.digest is
  'Personal data: response, and a hash of the fact. Purpose: order of facts. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column text.response.respondent is
  'Personal data: number of the respondent, and their attribute values then. Purpose: thresholds and filters of texts. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column text.response.language is
  'Personal data: language, the respondent''s or the account''s. Purpose: language of texts. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column text.response.submitted_month is
  'Personal data: month of the response. Purpose: retention. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column text.response.option_set is
  'Personal data: number of the respondent, and their attribute values then. Purpose: thresholds and filters of texts. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column text.answer.content is
  'Personal data: the text as written; may name employees. Purpose: texts, when masking is off; masking. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column text.masked_text.content is
  'Personal data: the text with names, addresses and numbers replaced. Purpose: texts, when masking is on. Kept: retain-answers of the account, else ANSWER_RETENTION_DAYS; by default until the account is deleted.';
comment on column text.topic_assignment.topic_id is
  'Personal data: topic and sentiment of a text. Purpose: texts. Kept: until the account is deleted.';
comment on column text.topic_assignment.sentiment is
  'Personal data: topic and sentiment of a text. Purpose: texts. Kept: until the account is deleted.';
comment on column text.topic_model.model is
  'Personal data: weights of words of texts. Purpose: topics. Kept: the last three models.';

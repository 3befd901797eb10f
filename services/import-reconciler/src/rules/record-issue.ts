/**
 * Reason why a record was skipped or silently altered as the contract requires. Contains no value
 * of the record.
 */
export interface RecordIssue {
  // JSON pointer into the request body, such as /employees/3/role.
  pointer: string;
  code:
    | 'role_unknown'
    | 'language_unknown'
    | 'year_malformed'
    | 'attribute_repeated'
    | 'email_blank'
    | 'email_taken'
    | 'email_unusual'
    | 'email_known_under_other_import_id'
    | 'erased'
    | 'grant_dropped'
    | 'supervisor_unknown'
    | 'supervisor_is_self'
    | 'supervisor_cycle'
    | 'supervisor_offboarded';
  detail: string;
}

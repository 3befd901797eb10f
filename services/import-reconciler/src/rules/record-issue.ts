/** Why a record was skipped, or what the contract does silently to it. Never repeats a value of the record. */
export interface RecordIssue {
  // Into the request body, such as /employees/3/role.
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
    | 'grant_dropped'
    | 'supervisor_unknown'
    | 'supervisor_is_self'
    | 'supervisor_cycle'
    | 'supervisor_offboarded';
  detail: string;
}

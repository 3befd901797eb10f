# Generated from the OpenAPI document by `npm test -- --only system openapi -u`.
COLUMNS: dict[str, dict[tuple[str, ...], dict[str, str]]] = {
    "employees": {
        (): {"id":"bigint","import_id":"text","email":"text","firstname":"text","lastname":"text","role":"text","is_deleted":"bool"},
        ("attributes",): {"id":"bigint","name":"text"},
        ("attributes", "attribute_values",): {"id":"bigint","name":"text"},
    },
    "surveys": {
        (): {"id":"bigint","import_id":"text","frequency":"text","created_at":"timestamp","start_at":"timestamp","end_at":"timestamp","archived_at":"timestamp","current_survey_ends_at":"timestamp","next_survey_starts_at":"timestamp","is_archived":"bool","is_deactivated":"bool"},
        ("survey_properties",): {"id":"bigint","name":"text"},
        ("survey_properties", "survey_property_options",): {"id":"bigint","name":"text"},
    },
    "survey_cycles": {
        (): {"id":"text","survey_id":"bigint","opened_at":"timestamp","closed_at":"timestamp","timezone":"text"},
    },
    "questions": {
        (): {"id":"bigint","type":"text","is_deleted":"bool"},
        ("answer_options",): {"id":"bigint","value":"double","is_maximum":"bool","is_minimum":"bool"},
    },
    "survey_assignments": {
        (): {"id":"bigint","survey_id":"bigint","created_at":"timestamp","deleted_at":"timestamp","employee_id":"bigint"},
    },
    "initiatives": {
        (): {"uuid":"text","title":"text","status":"text","survey__id":"bigint","assignee__employee_id":"bigint","assignee__firstname":"text","assignee__lastname":"text","creator__employee_id":"bigint","creator__firstname":"text","creator__lastname":"text","notes":"text","completion_date":"timestamp","created_at":"timestamp","updated_at":"timestamp","is_private":"bool"},
        ("questions",): {"id":"bigint"},
    },
    "attributes": {
        (): {"id":"bigint","name":"text"},
    },
    "attribute_options": {
        (): {"id":"bigint","name":"text","attribute_id":"bigint"},
    },
    "text_responses": {
        (): {"text":"text"},
        ("topics",): {"name":"text","sentiment":"text"},
    },
    "scores": {
        (): {"score":"double","unit":"text","respondents":"bigint","suppressed":"bool","suppression_reason":"text","survey_id":"bigint","cycle_id":"text","cycle_opened_at":"timestamp","question_ids":"text"},
    },
}

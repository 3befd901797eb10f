// Generated from the OpenAPI document of the gateway by `npm test -- --only system openapi -u`, and never edited.

export interface paths {
    "/v1/employees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List employees
         * @description All employees of the account by id, deleted ones included with `is_deleted` true.
         */
        get: operations["listEmployees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/employees/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a complete snapshot of the workforce
         * @description The body is the complete set of the employees that this API manages, however many. It is checked as a whole: one fault, and nothing is queued. A valid one is applied in the background, all of it or nothing; `import_uuid` is a reference for support only, and no endpoint reports the outcome.
         *
         *     Employees that this API created and that are no longer sent are offboarded. If that were more than the deletion threshold of the integration allows (20 % by default), or if an import_id is empty or appears twice, the import is cancelled and changes nothing. An employee whose role, language, Age Category, Seniority or e-mail address is rejected, or who has an attribute twice, is skipped; the rest is applied, and account admins get an e-mail.
         *
         *     One import at a time runs for an account.
         */
        post: operations["importEmployees"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/surveys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List surveys
         * @description The surveys of the account by id.
         */
        get: operations["listSurveys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/survey_cycles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List survey cycles
         * @description The cycles of the surveys, the one opened last first. `opened_at` and `closed_at` can be used as `period_from` and `period_to` of a score.
         *
         *     Live since 1.4.0.
         */
        get: operations["listSurveyCycles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List questions
         * @description The questions of all surveys of the account by id, deleted ones included with `is_deleted` true.
         */
        get: operations["listQuestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/survey_assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List survey assignments
         * @description Direct individual assignments of employees to surveys by id, including historical ones.
         */
        get: operations["listSurveyAssignments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/initiatives": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List initiatives
         * @description The initiatives of the account, the newest first, private ones included.
         *
         *     Live since 1.3.0.
         */
        get: operations["listInitiatives"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/scores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a score
         * @description The score of every response to the questions inside the period, in whichever survey it was given: `survey_ids` restricts the score to some, and the score of a cycle is that of its survey in its period. All questions must be of one kind: all eNPS (type nps), or all others.
         *
         *     A question's answers are normalised to 0–100 by its options flagged as minimum and maximum, whichever has the larger number; an answer of several options (multiple_select, ranked_select) is worth the mean of theirs. An eNPS answer of 9 or 10 counts 100, one of 0 to 6 counts -100. The score is the mean of the questions' means, so a question with few answers weighs as much as one with many; questions without answers, and those whose minimum and maximum are the same or not flagged, do not take part. It has two decimals; a half is rounded away from zero.
         *
         *     When fewer people than the anonymity threshold stand behind it, the score is withheld: that is no error. The threshold is configured for each survey; of the surveys whose questions are asked for the strictest counts, and with `survey_ids` that of the surveys in which the answers were given. Each call is judged by itself.
         *
         *     When the account has the disclosure guard (an extension of the contract, off by default), responses have the header `Disclosure-Guard`. A score then consists of whole survey cycles that closed inside the period at least some hours ago, and only of those in which enough employees answered the question; `respondents` is rounded down to a multiple of the threshold, and 0 when the score is suppressed. Only then `attribute_option_ids` and `participation` are parameters of this endpoint: they select whole groups of respondents, as for text responses, and count the employees of each cycle. `survey_ids` then selects whole cycles.
         *
         *     Live since 1.2.0.
         */
        get: operations["getScore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attributes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List attributes
         * @description The attributes that an account admin has released for API use, by id. By default none is released.
         *
         *     Live since 1.4.0.
         */
        get: operations["listAttributes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attributes/{attribute_id}/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the options of an attribute
         * @description The options of an attribute that an account admin has released for API use, by id.
         *
         *     Live since 1.4.0.
         */
        get: operations["listAttributeOptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/text_responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List free-text answers
         * @description Free-text answers with their topics, as one pooled list: nothing tells the survey, the cycle, the time or the author of an answer. The order is stable and means nothing. Pages of closed cycles never shift; in open cycles answers can come in between.
         *
         *     Each cycle is judged by itself: when fewer people than the anonymity threshold of its survey stand behind the answers that it would contribute, after every filter, it contributes none and is not named. An empty list is a normal outcome.
         *
         *     Options of the chosen attribute are OR-ed, and go by what the respondent had when the answer was taken in. With masking on, a recent answer appears when it has been masked; topics and sentiment follow later.
         *
         *     Live since 1.4.0.
         */
        get: operations["listTextResponses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description One employee. A property that is absent is unchanged; null clears it or resets it to its default; a value overwrites it. */
        EmployeeRecord: {
            /** @description Stable identifier from the source HR system; unique within the request; must not change between imports. */
            import_id: string;
            /** @description Unique within the account. */
            email: string;
            /** @description The first name. */
            firstname: string;
            /** @description The last name. */
            lastname: string;
            /** @description ISO 639-1, two letters. null: the default language of the integration. */
            language?: string | null;
            /** @description import_id of the supervisor, who may come later in the list. null removes the supervisor. */
            reports_to_id?: string | null;
            /** @description Admin, Manager, Analyst, Report viewer or Respondee; with any other value the employee is skipped. null resets to Respondee and clears data-access grants. */
            role?: string | null;
            /** @description null revokes every grant. Ignored for Respondee. */
            permissions?: components["schemas"]["Permissions"] | null;
            /** @description An attribute that is not listed is unchanged. May be empty, but not null. */
            attributes?: components["schemas"]["AttributeAssignment"][];
        };
        /** @description Whose data the employee may see. */
        Permissions: {
            /**
             * @description When true, grants is ignored.
             * @default false
             */
            all_data?: boolean;
            /** @description Empty with all_data false: revokes every grant. */
            grants?: components["schemas"]["Grant"][];
        };
        /** @description Grants on several values of the same attribute widen the scope (union), grants on different attributes narrow it (intersection). One that names an attribute or value that does not exist is dropped. */
        Grant: {
            /** @description The attribute whose value is granted. */
            attribute: {
                /** @description Name of an attribute that exists. */
                name: string;
            };
            /** @description The value whose employees the grant covers. */
            value: {
                /** @description Name of one of its values. */
                name: string;
            };
        };
        /** @description The attributes Age Category and Seniority take the birth year and the joining year, as exactly four digits, and are stored as a bucket. */
        AttributeAssignment: {
            /** @description Matched loosely: case and surrounding whitespace do not count. Created when it does not exist. */
            name: string;
            /** @description null clears the attribute. */
            value: {
                /** @description Created when it does not exist. */
                name: string;
            } | null;
        };
        Employee: {
            /** @description The id of the employee. */
            id: number;
            /** @description null when created in the web application. */
            import_id: string | null;
            /** @description Unique within the account. */
            email: string;
            /** @description null when not set. */
            firstname: string | null;
            /** @description null when not set. */
            lastname: string | null;
            /** @description Known values: Admin, Manager, Analyst, Employee, Report viewer, Respondee. More may come. */
            role: string | null;
            /** @description true if removed from the account. */
            is_deleted: boolean;
            /** @description Every attribute with a value, released for API use or not. */
            attributes: components["schemas"]["EmployeeAttribute"][];
        };
        /** @description An attribute that the employee has a value of. */
        EmployeeAttribute: {
            /** @description The id of the attribute. */
            id: number;
            /** @description A plain string, not translated. */
            name: string;
            /** @description The values that the employee has. */
            attribute_values: components["schemas"]["AttributeValue"][];
        };
        /** @description One value of an attribute. */
        AttributeValue: {
            /** @description The id of the option. */
            id: number;
            /** @description A plain string, not translated. */
            name: string;
        };
        /** @description The body of every error response (RFC 9457). */
        Problem: {
            /** @description `urn:survey:problem:` and a name, one for each status; `/docs#problem-` and the name says what it means. */
            type: string;
            /** @description The type in words. */
            title: string;
            /** @description The status of the response. */
            status: number;
            /** @description What is wrong and what to do, for people to read. It never repeats a value that was sent. */
            detail: string;
            /** @description The id of the request, as in X-Request-Id. Quote it in support requests. */
            instance: string;
            /** @description The first 100 faults of the request. */
            errors?: components["schemas"]["Fault"][];
            /** @description Total number of faults. */
            errors_total?: number;
        };
        /** @description One fault of the request; it names one of pointer, parameter and header. */
        Fault: {
            /** @description What is wrong, in words. */
            detail: string;
            /** @description Location in the body: a JSON pointer (RFC 6901). */
            pointer?: string;
            /** @description The import_id of the record that the pointer leads into, if it is valid. */
            import_id?: string;
            /** @description Name of the query parameter. */
            parameter?: string;
            /** @description Name of the header. */
            header?: string;
        };
        Survey: {
            /** @description The id of the survey. */
            id: number;
            /** @description null when created in the web application. */
            import_id: string | null;
            name: components["schemas"]["TranslatedName"];
            /** @description Known values: weekly, biweekly, monthly, once. More may come. */
            frequency: string;
            /**
             * Format: date-time
             * @description When the survey was created.
             * @example 2024-01-31T22:00:00Z
             */
            created_at: string;
            /** @description null when the survey started on created_at. */
            start_at: string | null;
            /** @description null when no end date is defined. */
            end_at: string | null;
            /** @description null when never archived. */
            archived_at: string | null;
            /** @description End of the current participation period; null if the survey is closed or the period is not yet open. */
            current_survey_ends_at: string | null;
            /** @description null if the survey is closed. */
            next_survey_starts_at: string | null;
            /** @description true if the survey is archived. */
            is_archived: boolean;
            /** @description Deactivated surveys are no longer sent to employees. */
            is_deactivated: boolean;
            /** @description Access to the results of the survey. */
            permissions: {
                /** @description Ids of employees. */
                employees_with_access_to_results: number[];
            };
            /** @description The properties of the survey, such as its region. */
            survey_properties: components["schemas"]["SurveyProperty"][];
        };
        /**
         * @description A text by ISO 639-1 language code.
         * @example {
         *       "de": "Zufriedenheit",
         *       "en": "Satisfaction"
         *     }
         */
        TranslatedName: {
            [key: string]: string;
        };
        SurveyProperty: {
            /** @description The id of the property. */
            id: number;
            /** @description A plain string, not translated. */
            name: string;
            /** @description The values that the survey has. */
            survey_property_options: components["schemas"]["SurveyPropertyOption"][];
        };
        /** @description A value of a property that the survey has. */
        SurveyPropertyOption: {
            /** @description Unique within the account. */
            id: number;
            /** @description A plain string, not translated. */
            name: string;
        };
        SurveyCycle: {
            /** @description A UUID. */
            id: string;
            /** @description Matches a survey id. */
            survey_id: number;
            /**
             * Format: date-time
             * @description When the cycle opened.
             * @example 2024-01-31T22:00:00Z
             */
            opened_at: string;
            /** @description null while the cycle is open. */
            closed_at: string | null;
            /** @description The survey's time zone, for showing local dates; the times themselves are in UTC. */
            timezone: string;
        };
        Question: {
            /** @description The id of the question. */
            id: number;
            name: components["schemas"]["TranslatedName"];
            /** @description Known values: stars, textfield, single_select, multiple_select, ranked_select, smiley_faces, nps. More may come. */
            type: string;
            /** @description true if deleted from the survey. */
            is_deleted: boolean;
            /** @description Every option; empty for textfield. */
            answer_options: components["schemas"]["AnswerOption"][];
        };
        AnswerOption: {
            /** @description The id of the answer option. */
            id: number;
            name: components["schemas"]["TranslatedName"];
            /** @description Usable for score calculation. */
            value: number;
            /** @description The best possible answer. */
            is_maximum: boolean;
            /** @description The worst possible answer. */
            is_minimum: boolean;
        };
        SurveyAssignment: {
            /** @description The id of the assignment. */
            id: number;
            /** @description Matches a survey id. */
            survey_id: number;
            /**
             * Format: date-time
             * @description When the employee was assigned.
             * @example 2024-01-31T22:00:00Z
             */
            created_at: string;
            /** @description When unassigned; null while active. */
            deleted_at: string | null;
            /** @description Matches an employee id. */
            employee_id: number;
        };
        Initiative: {
            /** @description The id of the initiative. */
            uuid: string;
            /** @description A plain string, not translated. */
            title: string;
            /**
             * @description The progress of the initiative.
             * @enum {string}
             */
            status: "draft" | "defined" | "in_progress" | "completed";
            /** @description null when not linked to a survey. */
            survey: components["schemas"]["SurveyReference"] | null;
            /** @description The questions that the initiative is about. */
            questions: components["schemas"]["QuestionReference"][];
            /** @description null when unassigned or the assignee was deleted. */
            assignee: components["schemas"]["InitiativePerson"] | null;
            /** @description null when the creator was deleted. */
            creator: components["schemas"]["InitiativePerson"] | null;
            /** @description Empty when there are none. */
            notes: string;
            /** @description Target of the completion. */
            completion_date: string | null;
            /**
             * Format: date-time
             * @description When the initiative was created.
             * @example 2024-01-31T22:00:00Z
             */
            created_at: string;
            /** @description null when never updated after creation. */
            updated_at: string | null;
            /** @description true if the initiative is private; private ones are listed too. */
            is_private: boolean;
            /** @description The reminders of the completion date. */
            reminder_settings: ("same_day" | "three_days_before")[];
            /** @description Events for which the assignee is notified. */
            notification_settings: ("on_create" | "on_update")[];
        };
        SurveyReference: {
            /** @description Matches a survey id. */
            id: number;
            name: components["schemas"]["TranslatedName"];
        };
        QuestionReference: {
            /** @description Matches a question id. */
            id: number;
            name: components["schemas"]["TranslatedName"];
        };
        InitiativePerson: {
            /** @description Matches an employee id. */
            employee_id: number;
            /** @description null when not set. */
            firstname: string | null;
            /** @description null when not set. */
            lastname: string | null;
        };
        Score: {
            /** @description 0 to 100, for enps -100 to 100; null when suppressed. */
            score: number | null;
            /**
             * @description enps when all questions are eNPS.
             * @enum {string}
             */
            unit: "favorability_percent" | "enps";
            /** @description Distinct respondents, also when the score is suppressed (without the disclosure guard). */
            respondents: number;
            /** @description true when there are fewer respondents than the anonymity threshold. */
            suppressed: boolean;
            /** @description Known values: below_anonymity_threshold. More may come. */
            suppression_reason: string | null;
            /** @description Only with `participation=true`, by cycle; cycles below the threshold are left out. */
            participation?: {
                [key: string]: {
                    /** @description A multiple of the threshold. */
                    assigned: number;
                    /** @description A multiple of the threshold. */
                    respondents: number;
                };
            };
        };
        /** @description An attribute that an account admin has released for API use. */
        Attribute: {
            /** @description Unique within the account. */
            id: number;
            /** @description A plain string, not translated. */
            name: string;
        };
        /** @description An option of an attribute. */
        AttributeOption: {
            /** @description Unique within the account. */
            id: number;
            /** @description A plain string, not translated. */
            name: string;
        };
        TextResponse: {
            /** @description The answer: masked for personal information when masking is on for the account, verbatim otherwise. */
            text: string;
            /** @description Empty when no topic was assigned, or analysis has not run yet. Their order has no meaning. */
            topics: {
                /** @description Unique in the account, ignoring case; not translated. */
                name: string;
                /** @description Sentiment of this answer towards this topic; null when not yet scored, which is not neutral. */
                sentiment: ("positive" | "neutral" | "negative") | null;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of this request. Quote it in support requests. */
        "X-Request-Id": string;
        /** @description The requests that a key may make (`q`) in a window of so many seconds (`w`); a structured field (RFC 9651). */
        "RateLimit-Policy": string;
        /** @description The requests that remain (`r`), and the seconds until all are available again (`t`); a structured field (RFC 9651). */
        RateLimit: string;
        /**
         * @deprecated
         * @description Maximum requests of the key per minute. Use RateLimit: this header goes with the next release.
         */
        "RateLimit-Limit": number;
        /**
         * @deprecated
         * @description Remaining requests in the current minute. Use RateLimit: this header goes with the next release.
         */
        "RateLimit-Remaining": number;
        /**
         * @deprecated
         * @description Seconds until all requests are available again. Use RateLimit: this header goes with the next release.
         */
        "RateLimit-Reset": number;
        /** @description Names the header that must contain the key. */
        "WWW-Authenticate": string;
        /** @description Seconds to wait before the next attempt. */
        "Retry-After": number;
        /** @description Only with the disclosure guard: the number and the bounds of the closed cycles in the period. */
        "Disclosure-Guard": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listEmployees: {
        parameters: {
            query?: {
                /** @description Maximum number of records to return. Above the maximum: 400. */
                limit?: number;
                /** @description Number of records skipped. */
                offset?: number;
            };
            header?: {
                /** @description The ETag of a response that you still have, or several, or `*`. The answer is 304 if one of them is current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total_count": 1,
                     *       "employees": [
                     *         {
                     *           "id": 4711,
                     *           "import_id": "E1",
                     *           "email": "ada@example.com",
                     *           "firstname": "Ada",
                     *           "lastname": "Lovelace",
                     *           "role": "Manager",
                     *           "is_deleted": false,
                     *           "attributes": [
                     *             {
                     *               "id": 3,
                     *               "name": "Department",
                     *               "attribute_values": [
                     *                 {
                     *                   "id": 31,
                     *                   "name": "Engineering"
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Number of matching records, across all pages. */
                        total_count: number;
                        /** @description The records of this page. */
                        employees: components["schemas"]["Employee"][];
                    };
                };
            };
            /** @description Nothing that this page shows has changed since the response whose ETag was sent. No body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed; `errors` names every invalid parameter. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "detail": "Query parameter nope is not a parameter of this endpoint: this endpoint takes limit, offset.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11",
                     *       "errors": [
                     *         {
                     *           "parameter": "nope",
                     *           "detail": "is not a parameter of this endpoint: this endpoint takes limit, offset"
                     *         }
                     *       ],
                     *       "errors_total": 1
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unauthorized",
                     *       "title": "A valid API key is needed",
                     *       "status": 401,
                     *       "detail": "The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key does not have the scope read:employees. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:missing-scope",
                     *       "title": "The API key does not allow this",
                     *       "status": 403,
                     *       "detail": "The key does not have the scope read:employees, which this endpoint requires. Use a key that has it, or one with the scope read.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:too-many-requests",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "detail": "The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unexpected error, typically transient. Retry with exponential backoff. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:internal-error",
                     *       "title": "Unexpected error",
                     *       "status": 500,
                     *       "detail": "An internal error occurred. Retry with exponential backoff; if it persists, report the instance.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unavailable",
                     *       "title": "Temporarily unavailable",
                     *       "status": 503,
                     *       "detail": "The service is overloaded. Retry with exponential backoff.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:method-not-allowed",
                     *       "title": "The method is not allowed here",
                     *       "status": 405,
                     *       "detail": "/v1/surveys does not support POST. Use GET, HEAD.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importEmployees: {
        parameters: {
            query?: never;
            header?: {
                /** @description How the body is compressed. No other encoding is accepted. */
                "Content-Encoding"?: "gzip" | "identity";
                /** @description A random name for this import, as it is or as a string in quotes (RFC 9651), so that a request whose answer was lost can be sent again: the same name with the same body is answered with the same 202 and imports nothing further, until 24 hours after the import was applied. An import that was cancelled or failed, or that another one followed, frees the name. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON in UTF-8: at most 1 GiB as received with gzip, at most 16 GiB of JSON, at most 8 MiB for one employee. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "employees": [
                 *         {
                 *           "import_id": "E1",
                 *           "email": "ada@example.com",
                 *           "firstname": "Ada",
                 *           "lastname": "Lovelace",
                 *           "language": "en",
                 *           "attributes": [
                 *             {
                 *               "name": "Department",
                 *               "value": {
                 *                 "name": "Engineering"
                 *               }
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Every employee that this API manages. */
                    employees: components["schemas"]["EmployeeRecord"][];
                };
            };
        };
        responses: {
            /** @description The snapshot is valid and queued. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The Idempotency-Key named an earlier import: `import_uuid` is its reference, and nothing was queued. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "import_uuid": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/json": {
                        /** @description A reference for support only. */
                        import_uuid: string;
                    };
                };
            };
            /** @description The body is not valid: invalid JSON, an unknown property, a wrong type or a missing required property; `errors` says where. Nothing is queued. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "detail": "The body has one fault, so nothing was imported: correct it and send the body again.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11",
                     *       "errors": [
                     *         {
                     *           "pointer": "/employees/0/import_id",
                     *           "detail": "must be a string, not a number"
                     *         }
                     *       ],
                     *       "errors_total": 1
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unauthorized",
                     *       "title": "A valid API key is needed",
                     *       "status": 401,
                     *       "detail": "The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key does not have the scope employees:write. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:missing-scope",
                     *       "title": "The API key does not allow this",
                     *       "status": 403,
                     *       "detail": "The key does not have the scope employees:write, which this endpoint requires. Use a key that has it.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The REST API integration is not connected for the account. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "detail": "The REST API integration is not connected for this account: connect it in the web console.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An import for the account is still running. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:conflict",
                     *       "title": "An import is already running",
                     *       "status": 409,
                     *       "detail": "An import for this account is still running: wait until it has ended, then send the snapshot again.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than the limit. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:body-too-large",
                     *       "title": "The body is too large",
                     *       "status": 413,
                     *       "detail": "The body is larger than 1 GiB: send fewer bytes.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The Content-Type is not application/json, or the Content-Encoding neither gzip nor identity. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unsupported-body",
                     *       "title": "The form of the body is not supported",
                     *       "status": 415,
                     *       "detail": "The Content-Encoding is not supported. Send the body as it is, or with Content-Encoding: gzip.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key still belongs to another body. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:idempotency-mismatch",
                     *       "title": "The Idempotency-Key belongs to another body",
                     *       "status": 422,
                     *       "detail": "The Idempotency-Key was used with another body: send this one with a new key.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:too-many-requests",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "detail": "The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unexpected error, typically transient. Retry with exponential backoff. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:internal-error",
                     *       "title": "Unexpected error",
                     *       "status": 500,
                     *       "detail": "An internal error occurred. Retry with exponential backoff; if it persists, report the instance.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unavailable",
                     *       "title": "Temporarily unavailable",
                     *       "status": 503,
                     *       "detail": "The service is overloaded. Retry with exponential backoff.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:method-not-allowed",
                     *       "title": "The method is not allowed here",
                     *       "status": 405,
                     *       "detail": "/v1/surveys does not support POST. Use GET, HEAD.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSurveys: {
        parameters: {
            query?: {
                /** @description Maximum number of records to return. Above the maximum: 400. */
                limit?: number;
                /** @description Number of records skipped. */
                offset?: number;
                /** @description Surveys created at or after it. URL-encode it. */
                created_after?: string;
                /** @description true: only archived ones; false: only others; omitted: all. */
                is_archived?: boolean;
            };
            header?: {
                /** @description The ETag of a response that you still have, or several, or `*`. The answer is 304 if one of them is current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total_count": 1,
                     *       "surveys": [
                     *         {
                     *           "id": 1,
                     *           "import_id": null,
                     *           "name": {
                     *             "de": "Zufriedenheit",
                     *             "en": "Satisfaction"
                     *           },
                     *           "frequency": "monthly",
                     *           "created_at": "2023-12-15T09:30:00Z",
                     *           "start_at": "2024-01-01T00:00:00Z",
                     *           "end_at": null,
                     *           "archived_at": null,
                     *           "current_survey_ends_at": "2024-01-31T22:00:00Z",
                     *           "next_survey_starts_at": "2024-02-01T00:00:00Z",
                     *           "is_archived": false,
                     *           "is_deactivated": false,
                     *           "permissions": {
                     *             "employees_with_access_to_results": [
                     *               4711
                     *             ]
                     *           },
                     *           "survey_properties": [
                     *             {
                     *               "id": 5,
                     *               "name": "Region",
                     *               "survey_property_options": [
                     *                 {
                     *                   "id": 51,
                     *                   "name": "Europe"
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Number of matching records, across all pages. */
                        total_count: number;
                        /** @description The records of this page. */
                        surveys: components["schemas"]["Survey"][];
                    };
                };
            };
            /** @description Nothing that this page shows has changed since the response whose ETag was sent. No body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed; `errors` names every invalid parameter. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "detail": "Query parameter nope is not a parameter of this endpoint: this endpoint takes limit, offset.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11",
                     *       "errors": [
                     *         {
                     *           "parameter": "nope",
                     *           "detail": "is not a parameter of this endpoint: this endpoint takes limit, offset"
                     *         }
                     *       ],
                     *       "errors_total": 1
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unauthorized",
                     *       "title": "A valid API key is needed",
                     *       "status": 401,
                     *       "detail": "The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:too-many-requests",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "detail": "The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unexpected error, typically transient. Retry with exponential backoff. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:internal-error",
                     *       "title": "Unexpected error",
                     *       "status": 500,
                     *       "detail": "An internal error occurred. Retry with exponential backoff; if it persists, report the instance.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unavailable",
                     *       "title": "Temporarily unavailable",
                     *       "status": 503,
                     *       "detail": "The service is overloaded. Retry with exponential backoff.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:method-not-allowed",
                     *       "title": "The method is not allowed here",
                     *       "status": 405,
                     *       "detail": "/v1/surveys does not support POST. Use GET, HEAD.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSurveyCycles: {
        parameters: {
            query?: {
                /** @description Maximum number of records to return. Above the maximum: 400. */
                limit?: number;
                /** @description Number of records skipped. */
                offset?: number;
                /** @description Those of one survey; omitted: of all surveys. */
                survey_id?: number;
            };
            header?: {
                /** @description The ETag of a response that you still have, or several, or `*`. The answer is 304 if one of them is current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total_count": 1,
                     *       "cycles": [
                     *         {
                     *           "id": "7467cb20-0e02-4866-bf40-2b627b0f03c3",
                     *           "survey_id": 1,
                     *           "opened_at": "2024-01-01T00:00:00Z",
                     *           "closed_at": "2024-01-31T22:00:00Z",
                     *           "timezone": "Europe/Berlin"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Number of matching records, across all pages. */
                        total_count: number;
                        /** @description The records of this page. */
                        cycles: components["schemas"]["SurveyCycle"][];
                    };
                };
            };
            /** @description Nothing that this page shows has changed since the response whose ETag was sent. No body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed; `errors` names every invalid parameter. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "detail": "Query parameter nope is not a parameter of this endpoint: this endpoint takes limit, offset.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11",
                     *       "errors": [
                     *         {
                     *           "parameter": "nope",
                     *           "detail": "is not a parameter of this endpoint: this endpoint takes limit, offset"
                     *         }
                     *       ],
                     *       "errors_total": 1
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unauthorized",
                     *       "title": "A valid API key is needed",
                     *       "status": 401,
                     *       "detail": "The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:too-many-requests",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "detail": "The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unexpected error, typically transient. Retry with exponential backoff. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:internal-error",
                     *       "title": "Unexpected error",
                     *       "status": 500,
                     *       "detail": "An internal error occurred. Retry with exponential backoff; if it persists, report the instance.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unavailable",
                     *       "title": "Temporarily unavailable",
                     *       "status": 503,
                     *       "detail": "The service is overloaded. Retry with exponential backoff.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:method-not-allowed",
                     *       "title": "The method is not allowed here",
                     *       "status": 405,
                     *       "detail": "/v1/surveys does not support POST. Use GET, HEAD.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listQuestions: {
        parameters: {
            query?: {
                /** @description Maximum number of records to return. Above the maximum: 400. */
                limit?: number;
                /** @description Number of records skipped. */
                offset?: number;
            };
            header?: {
                /** @description The ETag of a response that you still have, or several, or `*`. The answer is 304 if one of them is current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total_count": 1,
                     *       "questions": [
                     *         {
                     *           "id": 11,
                     *           "name": {
                     *             "de": "Meine Arbeit macht mir Freude.",
                     *             "en": "I enjoy my work."
                     *           },
                     *           "type": "smiley_faces",
                     *           "is_deleted": false,
                     *           "answer_options": [
                     *             {
                     *               "id": 111,
                     *               "name": {
                     *                 "de": "Nein",
                     *                 "en": "No"
                     *               },
                     *               "value": 1,
                     *               "is_maximum": false,
                     *               "is_minimum": true
                     *             },
                     *             {
                     *               "id": 112,
                     *               "name": {
                     *                 "de": "Ja",
                     *                 "en": "Yes"
                     *               },
                     *               "value": 2,
                     *               "is_maximum": true,
                     *               "is_minimum": false
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Number of matching records, across all pages. */
                        total_count: number;
                        /** @description The records of this page. */
                        questions: components["schemas"]["Question"][];
                    };
                };
            };
            /** @description Nothing that this page shows has changed since the response whose ETag was sent. No body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed; `errors` names every invalid parameter. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "detail": "Query parameter nope is not a parameter of this endpoint: this endpoint takes limit, offset.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11",
                     *       "errors": [
                     *         {
                     *           "parameter": "nope",
                     *           "detail": "is not a parameter of this endpoint: this endpoint takes limit, offset"
                     *         }
                     *       ],
                     *       "errors_total": 1
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unauthorized",
                     *       "title": "A valid API key is needed",
                     *       "status": 401,
                     *       "detail": "The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:too-many-requests",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "detail": "The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unexpected error, typically transient. Retry with exponential backoff. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:internal-error",
                     *       "title": "Unexpected error",
                     *       "status": 500,
                     *       "detail": "An internal error occurred. Retry with exponential backoff; if it persists, report the instance.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unavailable",
                     *       "title": "Temporarily unavailable",
                     *       "status": 503,
                     *       "detail": "The service is overloaded. Retry with exponential backoff.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:method-not-allowed",
                     *       "title": "The method is not allowed here",
                     *       "status": 405,
                     *       "detail": "/v1/surveys does not support POST. Use GET, HEAD.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSurveyAssignments: {
        parameters: {
            query?: {
                /** @description Maximum number of records to return. Above the maximum: 400. */
                limit?: number;
                /** @description Number of records skipped. */
                offset?: number;
                /** @description Those of one survey; omitted: of all surveys. */
                survey_id?: number;
            };
            header?: {
                /** @description The ETag of a response that you still have, or several, or `*`. The answer is 304 if one of them is current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total_count": 1,
                     *       "survey_assignments": [
                     *         {
                     *           "id": 21,
                     *           "survey_id": 1,
                     *           "created_at": "2023-12-15T09:31:00Z",
                     *           "deleted_at": null,
                     *           "employee_id": 4711
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Number of matching records, across all pages. */
                        total_count: number;
                        /** @description The records of this page. */
                        survey_assignments: components["schemas"]["SurveyAssignment"][];
                    };
                };
            };
            /** @description Nothing that this page shows has changed since the response whose ETag was sent. No body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed; `errors` names every invalid parameter. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "detail": "Query parameter nope is not a parameter of this endpoint: this endpoint takes limit, offset.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11",
                     *       "errors": [
                     *         {
                     *           "parameter": "nope",
                     *           "detail": "is not a parameter of this endpoint: this endpoint takes limit, offset"
                     *         }
                     *       ],
                     *       "errors_total": 1
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unauthorized",
                     *       "title": "A valid API key is needed",
                     *       "status": 401,
                     *       "detail": "The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key does not have the scope read:employees. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:missing-scope",
                     *       "title": "The API key does not allow this",
                     *       "status": 403,
                     *       "detail": "The key does not have the scope read:employees, which this endpoint requires. Use a key that has it, or one with the scope read.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:too-many-requests",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "detail": "The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unexpected error, typically transient. Retry with exponential backoff. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:internal-error",
                     *       "title": "Unexpected error",
                     *       "status": 500,
                     *       "detail": "An internal error occurred. Retry with exponential backoff; if it persists, report the instance.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unavailable",
                     *       "title": "Temporarily unavailable",
                     *       "status": 503,
                     *       "detail": "The service is overloaded. Retry with exponential backoff.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:method-not-allowed",
                     *       "title": "The method is not allowed here",
                     *       "status": 405,
                     *       "detail": "/v1/surveys does not support POST. Use GET, HEAD.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listInitiatives: {
        parameters: {
            query?: {
                /** @description Maximum number of records to return. Above the maximum: 400. */
                limit?: number;
                /** @description Number of records skipped. */
                offset?: number;
                /** @description Omitted: any status. */
                status?: "draft" | "defined" | "in_progress" | "completed";
            };
            header?: {
                /** @description The ETag of a response that you still have, or several, or `*`. The answer is 304 if one of them is current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total_count": 1,
                     *       "initiatives": [
                     *         {
                     *           "uuid": "0b54c1f6-6a5e-4c0e-9f5c-2f1f3d1c7a10",
                     *           "title": "Quieter meeting rooms",
                     *           "status": "in_progress",
                     *           "survey": {
                     *             "id": 1,
                     *             "name": {
                     *               "de": "Zufriedenheit",
                     *               "en": "Satisfaction"
                     *             }
                     *           },
                     *           "questions": [
                     *             {
                     *               "id": 11,
                     *               "name": {
                     *                 "de": "Meine Arbeit macht mir Freude.",
                     *                 "en": "I enjoy my work."
                     *               }
                     *             }
                     *           ],
                     *           "assignee": {
                     *             "employee_id": 4711,
                     *             "firstname": "Ada",
                     *             "lastname": "Lovelace"
                     *           },
                     *           "creator": {
                     *             "employee_id": 4711,
                     *             "firstname": "Ada",
                     *             "lastname": "Lovelace"
                     *           },
                     *           "notes": "",
                     *           "completion_date": "2024-06-30T00:00:00Z",
                     *           "created_at": "2024-02-05T08:00:00Z",
                     *           "updated_at": null,
                     *           "is_private": false,
                     *           "reminder_settings": [
                     *             "three_days_before"
                     *           ],
                     *           "notification_settings": [
                     *             "on_create"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Number of matching records, across all pages. */
                        total_count: number;
                        /** @description The records of this page. */
                        initiatives: components["schemas"]["Initiative"][];
                    };
                };
            };
            /** @description Nothing that this page shows has changed since the response whose ETag was sent. No body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed; `errors` names every invalid parameter. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "detail": "Query parameter nope is not a parameter of this endpoint: this endpoint takes limit, offset.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11",
                     *       "errors": [
                     *         {
                     *           "parameter": "nope",
                     *           "detail": "is not a parameter of this endpoint: this endpoint takes limit, offset"
                     *         }
                     *       ],
                     *       "errors_total": 1
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unauthorized",
                     *       "title": "A valid API key is needed",
                     *       "status": 401,
                     *       "detail": "The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key does not have the scope read:employees. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:missing-scope",
                     *       "title": "The API key does not allow this",
                     *       "status": 403,
                     *       "detail": "The key does not have the scope read:employees, which this endpoint requires. Use a key that has it, or one with the scope read.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:too-many-requests",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "detail": "The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unexpected error, typically transient. Retry with exponential backoff. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:internal-error",
                     *       "title": "Unexpected error",
                     *       "status": 500,
                     *       "detail": "An internal error occurred. Retry with exponential backoff; if it persists, report the instance.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unavailable",
                     *       "title": "Temporarily unavailable",
                     *       "status": 503,
                     *       "detail": "The service is overloaded. Retry with exponential backoff.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:method-not-allowed",
                     *       "title": "The method is not allowed here",
                     *       "status": 405,
                     *       "detail": "/v1/surveys does not support POST. Use GET, HEAD.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getScore: {
        parameters: {
            query: {
                /** @description Comma-separated ids of questions from /v1/questions: a set. */
                question_ids: string;
                /** @description Responses at or after it. URL-encode it. */
                period_from: string;
                /** @description Responses at or before it. */
                period_to: string;
                /** @description Only responses given in these surveys. Without it, responses of all surveys that ask the questions count. */
                survey_ids?: string;
                /** @description Only with the disclosure guard: groups of respondents with one of these options of the chosen attribute. */
                attribute_option_ids?: string;
                /** @description Only with the disclosure guard: whether to add `participation`. */
                participation?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The score, or that it is suppressed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Disclosure-Guard": components["headers"]["Disclosure-Guard"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "score": 74.25,
                     *       "unit": "favorability_percent",
                     *       "respondents": 42,
                     *       "suppressed": false,
                     *       "suppression_reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["Score"];
                };
            };
            /** @description A parameter is malformed, period_from is later than period_to, a question does not exist or is in words, eNPS questions are mixed with others, or a parameter needs the disclosure guard; `errors` names every parameter at fault. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "detail": "Query parameter period_from must not be later than period_to.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11",
                     *       "errors": [
                     *         {
                     *           "parameter": "period_from",
                     *           "detail": "must not be later than period_to"
                     *         }
                     *       ],
                     *       "errors_total": 1
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unauthorized",
                     *       "title": "A valid API key is needed",
                     *       "status": 401,
                     *       "detail": "The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key does not have the scope read:scores. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:missing-scope",
                     *       "title": "The API key does not allow this",
                     *       "status": 403,
                     *       "detail": "The key does not have the scope read:scores, which this endpoint requires. Use a key that has it, or one with the scope read.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:too-many-requests",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "detail": "The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unexpected error, typically transient. Retry with exponential backoff. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:internal-error",
                     *       "title": "Unexpected error",
                     *       "status": 500,
                     *       "detail": "An internal error occurred. Retry with exponential backoff; if it persists, report the instance.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unavailable",
                     *       "title": "Temporarily unavailable",
                     *       "status": 503,
                     *       "detail": "The service is overloaded. Retry with exponential backoff.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:method-not-allowed",
                     *       "title": "The method is not allowed here",
                     *       "status": 405,
                     *       "detail": "/v1/surveys does not support POST. Use GET, HEAD.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAttributes: {
        parameters: {
            query?: {
                /** @description Maximum number of records to return. Above the maximum: 400. */
                limit?: number;
                /** @description Number of records skipped. */
                offset?: number;
            };
            header?: {
                /** @description The ETag of a response that you still have, or several, or `*`. The answer is 304 if one of them is current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total_count": 1,
                     *       "attributes": [
                     *         {
                     *           "id": 3,
                     *           "name": "Department"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Number of matching records, across all pages. */
                        total_count: number;
                        /** @description The records of this page. */
                        attributes: components["schemas"]["Attribute"][];
                    };
                };
            };
            /** @description Nothing that this page shows has changed since the response whose ETag was sent. No body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed; `errors` names every invalid parameter. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "detail": "Query parameter nope is not a parameter of this endpoint: this endpoint takes limit, offset.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11",
                     *       "errors": [
                     *         {
                     *           "parameter": "nope",
                     *           "detail": "is not a parameter of this endpoint: this endpoint takes limit, offset"
                     *         }
                     *       ],
                     *       "errors_total": 1
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unauthorized",
                     *       "title": "A valid API key is needed",
                     *       "status": 401,
                     *       "detail": "The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:too-many-requests",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "detail": "The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unexpected error, typically transient. Retry with exponential backoff. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:internal-error",
                     *       "title": "Unexpected error",
                     *       "status": 500,
                     *       "detail": "An internal error occurred. Retry with exponential backoff; if it persists, report the instance.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unavailable",
                     *       "title": "Temporarily unavailable",
                     *       "status": 503,
                     *       "detail": "The service is overloaded. Retry with exponential backoff.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:method-not-allowed",
                     *       "title": "The method is not allowed here",
                     *       "status": 405,
                     *       "detail": "/v1/surveys does not support POST. Use GET, HEAD.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAttributeOptions: {
        parameters: {
            query?: {
                /** @description Maximum number of records to return. Above the maximum: 400. */
                limit?: number;
                /** @description Number of records skipped. */
                offset?: number;
            };
            header?: {
                /** @description The ETag of a response that you still have, or several, or `*`. The answer is 304 if one of them is current. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The id of the attribute. */
                attribute_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attribute": {
                     *         "id": 3,
                     *         "name": "Department"
                     *       },
                     *       "total_count": 2,
                     *       "options": [
                     *         {
                     *           "id": 31,
                     *           "name": "Engineering"
                     *         },
                     *         {
                     *           "id": 32,
                     *           "name": "Sales"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        attribute: components["schemas"]["Attribute"];
                        /** @description Number of matching records, across all pages. */
                        total_count: number;
                        /** @description The records of this page. */
                        options: components["schemas"]["AttributeOption"][];
                    };
                };
            };
            /** @description Nothing that this page shows has changed since the response whose ETag was sent. No body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed; `errors` names every invalid parameter. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "detail": "Query parameter nope is not a parameter of this endpoint: this endpoint takes limit, offset.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11",
                     *       "errors": [
                     *         {
                     *           "parameter": "nope",
                     *           "detail": "is not a parameter of this endpoint: this endpoint takes limit, offset"
                     *         }
                     *       ],
                     *       "errors_total": 1
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unauthorized",
                     *       "title": "A valid API key is needed",
                     *       "status": 401,
                     *       "detail": "The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The attribute does not exist or is not released; the response does not say which. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:not-found",
                     *       "title": "Not found",
                     *       "status": 404,
                     *       "detail": "There is no such attribute, or it is not released for API use.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:too-many-requests",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "detail": "The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unexpected error, typically transient. Retry with exponential backoff. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:internal-error",
                     *       "title": "Unexpected error",
                     *       "status": 500,
                     *       "detail": "An internal error occurred. Retry with exponential backoff; if it persists, report the instance.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unavailable",
                     *       "title": "Temporarily unavailable",
                     *       "status": 503,
                     *       "detail": "The service is overloaded. Retry with exponential backoff.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:method-not-allowed",
                     *       "title": "The method is not allowed here",
                     *       "status": 405,
                     *       "detail": "/v1/surveys does not support POST. Use GET, HEAD.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTextResponses: {
        parameters: {
            query?: {
                /** @description Maximum number of records to return. Above the maximum: 400. */
                limit?: number;
                /** @description Number of records skipped. */
                offset?: number;
                /** @description Comma-separated survey ids: every cycle of these surveys. Omitted: every survey. */
                survey_ids?: string;
                /** @description Comma-separated cycle UUIDs: only these cycles. */
                survey_cycle_ids?: string;
                /** @description Comma-separated question ids: only open-text questions return answers. Omitted: every open-text question. */
                question_ids?: string;
                /** @description Comma-separated ids of options of the one attribute that the account has chosen for filtering answers. */
                attribute_option_ids?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total_count": 1,
                     *       "responses": [
                     *         {
                     *           "text": "The new rooms are quiet.",
                     *           "topics": [
                     *             {
                     *               "name": "Workplace",
                     *               "sentiment": "positive"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Number of matching records, across all pages. */
                        total_count: number;
                        /** @description The records of this page. */
                        responses: components["schemas"]["TextResponse"][];
                    };
                };
            };
            /** @description A parameter is malformed or empty, or attribute_option_ids are not options of the one attribute that the account has chosen; `errors` names every parameter at fault. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:invalid-request",
                     *       "title": "The request is not valid",
                     *       "status": 400,
                     *       "detail": "Query parameter nope is not a parameter of this endpoint: this endpoint takes limit, offset.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11",
                     *       "errors": [
                     *         {
                     *           "parameter": "nope",
                     *           "detail": "is not a parameter of this endpoint: this endpoint takes limit, offset"
                     *         }
                     *       ],
                     *       "errors_total": 1
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unauthorized",
                     *       "title": "A valid API key is needed",
                     *       "status": 401,
                     *       "detail": "The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key does not have the scope read:texts. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:missing-scope",
                     *       "title": "The API key does not allow this",
                     *       "status": 403,
                     *       "detail": "The key does not have the scope read:texts, which this endpoint requires. Use a key that has it, or one with the scope read.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:too-many-requests",
                     *       "title": "Too many requests",
                     *       "status": 429,
                     *       "detail": "The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unexpected error, typically transient. Retry with exponential backoff. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:internal-error",
                     *       "title": "Unexpected error",
                     *       "status": 500,
                     *       "detail": "An internal error occurred. Retry with exponential backoff; if it persists, report the instance.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:unavailable",
                     *       "title": "Temporarily unavailable",
                     *       "status": 503,
                     *       "detail": "The service is overloaded. Retry with exponential backoff.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "urn:survey:problem:method-not-allowed",
                     *       "title": "The method is not allowed here",
                     *       "status": 405,
                     *       "detail": "/v1/surveys does not support POST. Use GET, HEAD.",
                     *       "instance": "01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}

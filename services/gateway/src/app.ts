import type { ServiceContext } from '@survey/process/service.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import type { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import type { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import type { TextServiceDefinition } from '@survey/proto/text/v1/text.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import express, { type Express } from 'express';
import { attributeOptionsOperation, getAttributeOptions } from './endpoints/get-attribute-options.ts';
import { attributesOperation, getAttributes } from './endpoints/get-attributes.ts';
import { employeesOperation, getEmployees } from './endpoints/get-employees.ts';
import { getInitiatives, initiativesOperation } from './endpoints/get-initiatives.ts';
import { getQuestions, questionsOperation } from './endpoints/get-questions.ts';
import { getScores, scoresOperation } from './endpoints/get-scores.ts';
import { getSurveyAssignments, surveyAssignmentsOperation } from './endpoints/get-survey-assignments.ts';
import { getSurveyCycles, surveyCyclesOperation } from './endpoints/get-survey-cycles.ts';
import { getSurveys, surveysOperation } from './endpoints/get-surveys.ts';
import { getTextResponses, textResponsesOperation } from './endpoints/get-text-responses.ts';
import type { Operation } from './endpoints/operation.ts';
import { employeeImportsOperation, postEmployeeImports } from './endpoints/post-employee-imports.ts';
import {
  mountRoutes,
  pathNotFound,
  rejectOutsideApi,
  SCOPES_FOR,
  type Endpoint,
  type ReadEndpoint,
  type Route,
} from './endpoints/route.ts';
import { problemErrorHandler } from './http/error-handler.ts';
import { observe } from './http/request-context.ts';
import { checkProtocol } from './http/http-server.ts';
import { discardUnreadBody } from './http/request-body.ts';
import type { ApiKeys } from './keys/api-keys.ts';
import { authenticate } from './keys/authenticate.ts';
import type { KeyUsage } from './keys/key-usage.ts';
import { openApiDocument } from './openapi/document.ts';
import { mountDocumentation } from './openapi/documentation-page.ts';
import { limitConcurrency, type ReadLimits } from './overload/limit-concurrency.ts';
import { limitRate, type RequestCount } from './overload/limit-rate.ts';
import { shedLoad, skipDisconnected } from './overload/shed-load.ts';

interface GatewayParts {
  keys: ApiKeys;
  requestCount: RequestCount;
  keyUsage: KeyUsage;
  exportService: Upstream<ExportServiceDefinition>;
  imports: Upstream<ImportServiceDefinition>;
  scoring: Upstream<ScoringServiceDefinition>;
  textService: Upstream<TextServiceDefinition>;
  importDeadlineMs: number;
  limits: Limits;
}

export interface Limits extends ReadLimits {
  // Maximum requests per key and minute, unless the account has a limit of its own.
  readonly requestsPerMinute: number;
  readonly maxEventLoopDelayMs: number;
}

// The whole public API: one line per endpoint, implemented in one file of endpoints/.
function routeTable({ exportService, imports, scoring, textService, importDeadlineMs, limits }: GatewayParts): readonly Route[] {
  const { upstream, upload } = limitConcurrency(limits);
  const exports = upstream();
  const read = (use: keyof typeof SCOPES_FOR, path: string, operation: Operation, endpoint: Endpoint): Route => ({
    method: 'get',
    path,
    scopes: SCOPES_FOR[use],
    operation,
    endpoint,
  });
  // Lists of stored records; scores and texts have no validators.
  const list = (use: keyof typeof SCOPES_FOR, path: string, operation: Operation, endpoint: ReadEndpoint): Route => ({
    ...read(use, path, operation, exports.list(endpoint)),
    isConditional: true,
  });
  return [
    list('people', '/v1/employees', employeesOperation, getEmployees(exportService)),
    {
      method: 'post',
      path: '/v1/employees/imports',
      scopes: SCOPES_FOR.imports,
      operation: employeeImportsOperation,
      endpoint: upload(postEmployeeImports(imports, importDeadlineMs)),
    },
    list('structure', '/v1/surveys', surveysOperation, getSurveys(exportService)),
    list('structure', '/v1/survey_cycles', surveyCyclesOperation, getSurveyCycles(exportService)),
    list('structure', '/v1/questions', questionsOperation, getQuestions(exportService)),
    list('people', '/v1/survey_assignments', surveyAssignmentsOperation, getSurveyAssignments(exportService)),
    list('people', '/v1/initiatives', initiativesOperation, getInitiatives(exportService)),
    read('scores', '/v1/scores', scoresOperation, upstream().heavy(getScores(scoring))),
    list('structure', '/v1/attributes', attributesOperation, getAttributes(exportService)),
    list('structure', '/v1/attributes/:attribute_id/options', attributeOptionsOperation, getAttributeOptions(exportService)),
    read('texts', '/v1/text_responses', textResponsesOperation, upstream().heavy(getTextResponses(textService))),
  ];
}

/**
 * Creates the public API. The order of its middleware decides which error a request gets: 401, then
 * 429 or 503, then 404 or 405, then 403, then the endpoint's own (rules ERRORS-ROUTING-1,
 * AUTH-SCOPE-1 to AUTH-SCOPE-5, and AUTH-ORDER-1). Only paths outside `/v1` need no key.
 */
export function createApp(parts: GatewayParts, context: ServiceContext): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('strict routing').enable('case sensitive routing');
  const { keys, keyUsage, requestCount, limits } = parts;
  const routes = routeTable(parts);
  app.use(observe(context));
  app.use(discardUnreadBody);
  mountDocumentation(app, openApiDocument(routes));
  app.use(rejectOutsideApi);
  app.use(authenticate(keys));
  app.use(keyUsage.count);
  app.use(limitRate(requestCount, limits.requestsPerMinute));
  app.use(skipDisconnected);
  app.use(shedLoad(limits.maxEventLoopDelayMs, context));
  app.use(checkProtocol);
  mountRoutes(app, routes);
  app.use(pathNotFound);
  app.use(problemErrorHandler(context.log));
  return app;
}

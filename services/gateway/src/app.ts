import type { ServiceTools } from '@survey/process/service.ts';
import type { ExportServiceService } from '@survey/rpc/gen/survey/export/v1/export.ts';
import type { ImportServiceService } from '@survey/rpc/gen/survey/imports/v1/imports.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import express, { type Express } from 'express';
import { answerProblem } from './answer-problem.ts';
import type { ApiKeys } from './api-keys.ts';
import { authenticate } from './authenticate.ts';
import { observe } from './observe.ts';
import { checkProtocol } from './protocol.ts';
import { mountRoutes, refusePath, type Route } from './route.ts';
import { getEmployees } from './routes/get-employees.ts';
import { postEmployeeImports } from './routes/post-employee-imports.ts';
import { discardUnreadBody } from './unread-body.ts';

export interface Behind {
  keys: ApiKeys;
  exporter: Upstream<ExportServiceService>;
  imports: Upstream<ImportServiceService>;
  importDeadlineMs: number;
}

// The whole public API. A further endpoint is one line here and one file in routes/.
function routeTable({ exporter, imports, importDeadlineMs }: Behind): readonly Route[] {
  return [
    { method: 'get', path: '/v1/employees', scope: 'read', endpoint: getEmployees(exporter) },
    {
      method: 'post',
      path: '/v1/employees/imports',
      scope: 'employees:write',
      endpoint: postEmployeeImports(imports, importDeadlineMs),
    },
  ];
}

/** Every request passes this list from top to bottom: 401, then 404 or 405, then 403, then the endpoint (rulings A16, A17, A10, Z18). */
export function createApp(behind: Behind, tools: ServiceTools): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('strict routing').enable('case sensitive routing');
  app.use(observe(tools));
  app.use(discardUnreadBody);
  app.use(authenticate(behind.keys));
  app.use(checkProtocol);
  mountRoutes(app, routeTable(behind));
  app.use(refusePath);
  app.use(answerProblem(tools.log));
  return app;
}

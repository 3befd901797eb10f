import { z } from 'zod';
import type { ProblemStatus } from '../problem.ts';

/** How an endpoint is described in the OpenAPI document. The schemas that check its requests are here too, so that they cannot differ. */
export interface Operation {
  // Unique in the document; generators name a function after it.
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  // The minor release that brought it, when the first one did not.
  readonly since?: string;
  readonly query: z.ZodRawShape;
  readonly path?: z.ZodRawShape;
  readonly headers?: z.ZodRawShape;
  readonly body?: RequestBody;
  readonly success: Success;
  // When it answers with a problem, beside what holds for every endpoint.
  readonly problems?: Partial<Readonly<Record<ProblemStatus, string>>>;
}

export interface RequestBody {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
}

export interface Success {
  readonly status: 200 | 202;
  readonly description: string;
  readonly schema: z.ZodType;
}

/** Common list conventions (docs/rules/lists.md): one page of a list, in an array named after the resource. */
export function pageOf(resource: string, row: z.ZodType, beside: z.ZodRawShape = {}): Success {
  const schema = z.object({
    ...beside,
    total_count: z.int().nonnegative().describe('How many records match, across all pages.'),
    [resource]: z.array(row).describe('The records of this page.'),
  });
  return { status: 200, description: 'One page of the list.', schema };
}

import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Page } from '@survey/proto/common/v1/page.ts';
import type { TextServiceDefinition } from '@survey/proto/text/v1/text.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { withReleased, type Listing } from './released-answers.ts';
import { readAnswers } from './read-answers.ts';
import { readScope } from './read-scope.ts';

/** Serves GET /v1/text_responses (docs/rules/texts.md). */
export function listTextResponses(listing: Listing): Handlers<TextServiceDefinition>['listTextResponses'] {
  return async (request, call: CallContext): Promise<Page> => {
    const { limit, offset, accept_gzip } = request;
    const page = await withReleased(
      listing,
      readScope(request),
      call,
      async ({ tx, accountId, selection, released, policy }) => ({
        total_count: selection.countIn(released),
        responses: await readAnswers(tx, accountId, selection.page(released, limit, offset), policy),
      }),
    );
    return toPage(JSON.stringify(page), accept_gzip);
  };
}

import { z } from 'zod';
import type { ModelEndpoint } from './model-endpoint.ts';

const completion = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1) });

export interface ChatTask<T> {
  readonly model: string;
  // What to do; the data go apart from it, as JSON, so that an answer's text is less likely to be taken for an instruction.
  readonly instruction: string;
  readonly input: unknown;
  // What must come back; also sent as JSON schema.
  readonly output: z.ZodType<T>;
}

/** Asks an OpenAI-compatible chat model for JSON of a given shape. Fails when what comes back has another shape. */
export async function completeChat<T>(endpoint: ModelEndpoint, { model, instruction, input, output }: ChatTask<T>): Promise<T> {
  const request = {
    model,
    temperature: 0,
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: JSON.stringify(input) },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'analysis', strict: true, schema: z.toJSONSchema(output) } },
  };
  const { choices } = await endpoint.post('/chat/completions', request, completion);
  return output.parse(JSON.parse(choices[0]?.message.content ?? ''));
}

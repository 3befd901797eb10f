import { z } from 'zod';
import type { ModelEndpoint } from './model-endpoint.ts';

const completion = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1) });

interface ChatTask<T> {
  readonly model: string;
  // Instruction for the model. The data are sent separately, as JSON, so that the model is less
  // likely to take an answer's text for an instruction.
  readonly instruction: string;
  readonly input: unknown;
  // Shape of the output; also sent as JSON schema.
  readonly output: z.ZodType<T>;
}

/**
 * Requests JSON of a given shape from an OpenAI-compatible chat model.
 * @throws when the output has another shape.
 */
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

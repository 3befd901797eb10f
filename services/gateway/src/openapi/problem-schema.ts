import { z } from 'zod';

const fault = z
  .object({
    detail: z.string().describe('What is wrong, in words.'),
    pointer: z.string().optional().describe('Location in the body: a JSON pointer (RFC 6901).'),
    parameter: z.string().optional().describe('Name of the query parameter.'),
    header: z.string().optional().describe('Name of the header.'),
  })
  .meta({ id: 'Fault', description: 'One fault of the request; it names one of pointer, parameter and header.' });

/** Schema of the body that problemBody in problem.ts writes. */
export const problemSchema = z
  .object({
    type: z.string().describe('`urn:survey:problem:` and a name; one for each status.'),
    title: z.string().describe('The type in words.'),
    status: z.int().describe('The status of the response.'),
    detail: z.string().describe('What is wrong and what to do, for people to read. It never repeats a value that was sent.'),
    instance: z.string().describe('The id of the request, as in X-Request-Id. Quote it in support requests.'),
    errors: z.array(fault).optional().describe('The first 100 faults of the request.'),
    errors_total: z.int().optional().describe('Total number of faults.'),
  })
  .meta({ id: 'Problem', description: 'The body of every error response (RFC 9457).' });

import { z } from 'zod';

const fault = z
  .object({
    detail: z.string().describe('What is wrong, in words.'),
    pointer: z.string().optional().describe('Where in the body: a JSON pointer (RFC 6901).'),
    parameter: z.string().optional().describe('Which query parameter.'),
    header: z.string().optional().describe('Which header.'),
  })
  .meta({ id: 'Fault', description: 'One fault of the request; it names one of pointer, parameter and header.' });

/** Schema of the body that problemBody in problem.ts writes. */
export const problemSchema = z
  .object({
    type: z.string().describe('`urn:survey:problem:` and a name; one for each status.'),
    title: z.string().describe('The type in words.'),
    status: z.int().describe('The status of the answer.'),
    detail: z.string().describe('What is wrong and what to do, for people to read. It never repeats a value that was sent.'),
    instance: z.string().describe('The id of the request, as in X-Request-Id. Quote it when you ask for help.'),
    errors: z.array(fault).optional().describe('The faults of the request, the first 100 of them.'),
    errors_total: z.int().optional().describe('How many faults there are in all.'),
  })
  .meta({ id: 'Problem', description: 'Whatever goes wrong is answered in this one shape (RFC 9457).' });

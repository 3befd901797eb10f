import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { employeeEditFact, employeeFact, type Line, responseFact, surveyFact, topicAssignmentFact, topicFact } from './line.ts';

/** Converts a line to its fact. `lineNumber` counts from 1 and is reported in dead letters. */
export function toFact(line: Line, lineNumber: number): Fact {
  return { revision: line.revision, line: lineNumber, ...content(line) };
}

// Messages use the public property names, so a line with the same properties passes unchanged.
function content(line: Line): Omit<Fact, 'revision' | 'line'> {
  switch (line.kind) {
    case 'survey':
      return { survey: surveyFact(line) };
    case 'question':
      return { question: line };
    case 'cycle':
      return { cycle: line };
    case 'employee':
      return 'employee' in line ? { employee_edit: employeeEditFact(line) } : { employee: employeeFact(line) };
    case 'assignment':
      return { assignment: line };
    case 'initiative':
      return { initiative: line };
    case 'response':
      return { response: responseFact(line) };
    case 'topic':
      return { topic: topicFact(line) };
    case 'topic_assignment':
      break;
  }
  return { topic_assignment: topicAssignmentFact(line) };
}

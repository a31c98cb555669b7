import type { Question } from './question.js';

/** The request that asks a question, for a terminal. @param host origin of the service */
export const asCurl = (question: Question, host: string, project: string): string =>
  `curl "${host}/api/projects/${project}/query/" \\
  -H "Authorization: Bearer <personal API key>" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ query: question }).replaceAll("'", "'\\''")}'`;

export const asJson = (question: Question): string => JSON.stringify(question, null, 2);

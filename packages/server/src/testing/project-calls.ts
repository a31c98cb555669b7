import { expect } from 'vitest';
import type { TestService } from './service.js';

/** Creates a project. @returns its number */
export async function newProject(service: TestService, name: string): Promise<number> {
  return Number((await service.call('POST', '/api/projects/', { body: { name } })).json().id);
}

/** Creates an object of a project, which has to succeed. @returns the response */
export async function createObject(service: TestService, project: number, path: string, body: object) {
  const response = await service.call('POST', `/api/projects/${project}/${path}`, { body });
  expect([response.statusCode, response.body]).toEqual([201, expect.anything()]);
  return response.json();
}

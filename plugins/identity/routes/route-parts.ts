/** Responses and descriptions that the routes of this plugin share. */
import type { RouteDescription, RouteExample } from 'svc/plugin'

/** The category of all routes. */
export const CATEGORY = 'Auth: OIDC Provider'

/** Credentials of the demo client for examples. */
export const DEMO_CLIENT: RouteExample['auth'] = { type: 'basic', username: 'svc', password: 'svc-secret' }

/** An example that posts a form. */
export function formExample(
  name: string,
  path: string,
  form: Record<string, string>,
  expectStatus: number,
  auth: RouteExample['auth'] = DEMO_CLIENT,
): RouteExample {
  const headers = [{ name: 'Content-Type', value: 'application/x-www-form-urlencoded' }]
  return {
    name,
    method: 'POST',
    path,
    headers,
    body: new URLSearchParams(form).toString(),
    bodyType: 'form',
    auth,
    expectStatus,
  }
}

/** An example that posts JSON. */
export function jsonExample(name: string, path: string, value: object, expectStatus: number): RouteExample {
  return {
    name,
    method: 'POST',
    path,
    headers: [{ name: 'Content-Type', value: 'application/json' }],
    body: JSON.stringify(value),
    bodyType: 'json',
    expectStatus,
  }
}

/** The schema of a form body. All values are strings. */
export function formBody(
  description: string,
  names: readonly string[],
  requiredNames: readonly string[] = [],
): NonNullable<RouteDescription['requestBody']> {
  const properties = Object.fromEntries(names.map(name => [name, { type: 'string' }]))
  return {
    description,
    required: true,
    content: { 'application/x-www-form-urlencoded': { type: 'object', properties, required: requiredNames } },
  }
}

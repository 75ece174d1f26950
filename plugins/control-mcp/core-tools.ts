/** The tools for operations of the core. */
import type { ControlTools } from 'svc/toolkit'

export function addCoreTools(tools: ControlTools): void {
  const add = (
    name: string,
    method: string,
    path: string,
    annotations?: { destructiveHint?: boolean; readOnlyHint?: boolean },
  ) => tools.tool({ name, operation: { method, path }, ...(annotations && { annotations }) })
  add('get_status', 'GET', '/_svc/status')
  add('get_config', 'GET', '/_svc/config')
  add('get_catalog', 'GET', '/_svc/catalog')
  add('get_usage', 'GET', '/_svc/usage')
  add('get_metrics', 'GET', '/_svc/metrics')
  add('list_requests', 'GET', '/_svc/requests')
  add('get_request', 'GET', '/_svc/requests/{id}')
  add('clear_requests', 'DELETE', '/_svc/requests')
  add('verify_requests', 'POST', '/_svc/verify', { readOnlyHint: true })
  add('reset', 'POST', '/_svc/reset', { destructiveHint: true })
  add('list_rules', 'GET', '/_svc/rules')
  add('put_rule', 'PUT', '/_svc/rules/{name}')
  add('delete_rule', 'DELETE', '/_svc/rules/{name}')
  add('list_plugins', 'GET', '/_svc/plugins')
  tools.tool({
    name: 'set_plugin',
    description: 'Enable or disable a plugin until the server stops. Overrides svc.yaml.',
    operation: { method: 'POST', path: '/_svc/plugins/{name}/enable' },
    annotations: { destructiveHint: true },
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 200, description: 'Name of the plugin.' },
        enabled: { type: 'boolean' },
        cascade: { type: 'boolean', description: 'Also switch the plugins that prevent the change.' },
      },
      required: ['name', 'enabled'],
      additionalProperties: false,
    },
    request: ({ name, enabled, cascade }) => ({
      method: 'POST',
      path: `/_svc/plugins/${encodeURIComponent(String(name))}/${enabled === true ? 'enable' : 'disable'}`,
      query: cascade === true ? 'cascade=true' : '',
    }),
  })
  add('reload', 'POST', '/_svc/reload')
  tools.tool({
    name: 'set_health',
    description: 'Set the health of the instance: GET /health answers 200 or 503.',
    operation: { method: 'POST', path: '/health/healthy' },
    annotations: { destructiveHint: true },
    inputSchema: {
      type: 'object',
      properties: { healthy: { type: 'boolean' } },
      required: ['healthy'],
      additionalProperties: false,
    },
    request: ({ healthy }) => ({ method: 'POST', path: healthy === true ? '/health/healthy' : '/health/unhealthy' }),
  })
}

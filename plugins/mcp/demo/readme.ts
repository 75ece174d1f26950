/** Owns the text of the resource `svc://docs/readme`. */

export const README = `# svc MCP

A Model Context Protocol server to test, demo and teach gateways with. The same call has the same answer.

## Endpoints

| Path | Access |
|---|---|
| \`/mcp\` | open |
| \`/mcp/apikey\` | header \`X-API-Key\` |
| \`/mcp/protected\` | OAuth bearer token |
| \`/mcp/servers/{name}\` | named servers: \`weather\`, \`crm\`, \`devtools\` and configured ones |
| \`/mcp/sse\` | legacy HTTP+SSE transport |

Protocol versions: 2026-07-28 without sessions; 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05 with a handshake.

## Tools

| Tool | What it shows |
|---|---|
| \`echo\`, \`add\`, \`calculate\` | plain calls with structured results |
| \`get_weather\`, \`get_time\` | an argument routed by header, a changing answer |
| \`lookup_customer\`, \`search_orders\`, \`cancel_order\` | demo data, a scope |
| \`slow_task\` | progress, logs, cancellation |
| \`fail\`, \`throw\` | a tool error, a protocol error |
| \`large_output\`, \`generate_image\`, \`fetch_resource_link\` | other kinds of content |
| \`prompt_injection_demo\` | labeled text for guardrails |
| \`elicit_confirmation\`, \`sample_llm\` | questions to the client |
| \`inspect_request\` | the request as it arrived |
`

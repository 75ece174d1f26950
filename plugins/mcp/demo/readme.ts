/** Owns the text of the resource `svc://docs/readme`. */

export const README = `# svc MCP

A Model Context Protocol server for testing and demonstrating gateways. The same call always returns the same result.

## Endpoints

| Path | Access |
|---|---|
| \`/mcp\` | open |
| \`/mcp/apikey\` | header \`X-API-Key\` |
| \`/mcp/protected\` | OAuth bearer token |
| \`/mcp/servers/{name}\` | named servers: \`weather\`, \`crm\`, \`devtools\` and configured ones |
| \`/mcp/sse\` | HTTP+SSE transport |

Protocol revisions: 2026-07-28 (stateless); 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05 (with sessions).

## Tools

| Tool | What it shows |
|---|---|
| \`echo\`, \`add\`, \`calculate\` | plain calls with structured results |
| \`get_weather\`, \`get_time\` | an argument repeated in a header, a result that changes |
| \`lookup_customer\`, \`search_orders\`, \`cancel_order\` | demo data, an OAuth scope |
| \`slow_task\` | progress, logs, cancellation |
| \`fail\`, \`throw\` | a tool error, a JSON-RPC error |
| \`large_output\`, \`generate_image\`, \`fetch_resource_link\` | other kinds of content |
| \`prompt_injection_demo\` | labeled text for guardrails |
| \`elicit_confirmation\`, \`sample_llm\` | questions to the client |
| \`inspect_request\` | the request as received |
`

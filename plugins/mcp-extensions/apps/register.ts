/** Owns the server `apps`, whose tool has a page. */
import { createHash } from 'node:crypto'
import type { McpServers, ToolDefinition, ToolResult, JsonObject } from '../../mcp/types.ts'
import { objectSchema, READ_ONLY, textResult } from '../definitions.ts'
import { VIEW } from './view.ts'

const CONDITIONS = ['sunny', 'partly cloudy', 'cloudy', 'light rain', 'windy']

const PAGE = 'ui://weather/view.html'
const servers = ['apps']

export function registerApps(mcp: McpServers): void {
  mcp.server({
    name: 'apps',
    title: 'svc MCP apps',
    description: 'A tool with a page that a host can show',
    instructions: 'Call show_weather with the name of a city.',
  })
  mcp.tool(
    weatherTool('show_weather', 'Show the weather', 'Shows the weather of a city on a page.', ['model', 'app'], 0),
  )
  mcp.tool(
    weatherTool('refresh_weather', 'Refresh the weather', 'Returns the weather of this minute, for the page.', ['app']),
  )
  mcp.resource({
    uri: PAGE,
    name: 'weather-view',
    title: 'Weather',
    description: 'The page of show_weather',
    mimeType: 'text/html;profile=mcp-app',
    size: Buffer.byteLength(VIEW),
    servers,
    fixture: true,
    meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } },
    read: () => ({ text: VIEW }),
  })
}

/** Without `minute`, the weather of the present minute. Older clients know only the key `ui/resourceUri`. */
function weatherTool(
  name: string,
  title: string,
  description: string,
  visibility: string[],
  minute?: number,
): ToolDefinition {
  return {
    name,
    title,
    description,
    servers,
    fixture: true,
    inputSchema: objectSchema({ city: { type: 'string', minLength: 1, maxLength: 100 } }, ['city']),
    outputSchema: objectSchema(
      {
        city: { type: 'string' },
        temperature: { type: 'integer' },
        unit: { type: 'string' },
        conditions: { type: 'string' },
      },
      ['city', 'temperature', 'unit', 'conditions'],
    ),
    annotations: { ...READ_ONLY, idempotentHint: minute !== undefined },
    meta: { ui: { resourceUri: PAGE, visibility }, 'ui/resourceUri': PAGE },
    call: ({ city }) => describeWeather(String(city), minute ?? Math.floor(Date.now() / 60_000)),
  }
}

function describeWeather(city: string, minute: number): ToolResult {
  const weather = weatherIn(city, minute)
  return textResult(
    `${String(weather.city)}: ${String(weather.temperature)} °C, ${String(weather.conditions)}`,
    weather,
  )
}

/** Depends on the city, and after a refresh on the minute. */
function weatherIn(city: string, minute: number): JsonObject {
  const name = city.trim()
  const hash = createHash('sha256').update(`${name.toLowerCase()} ${minute}`).digest()
  return {
    city: name,
    temperature: (hash[0]! % 35) - 5,
    unit: 'C',
    conditions: CONDITIONS[hash[1]! % CONDITIONS.length],
  }
}

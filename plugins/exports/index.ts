/** The plugin `exports`: the enabled endpoints as files for other tools. */
import { definePlugin } from 'svc/plugin'
import { registerExports } from './routes.ts'

export default definePlugin({
  title: 'Exports',
  description:
    'Exports the catalog as a collection for Postman, Insomnia, Bruno, OpenCollection, curl, .http, Hurl, k6 and HAR, and as configuration for Kong, the Gateway API, LiteLLM, MCP clients and Prometheus.',
  paths: ['/export'],
  uses: ['llm', 'mcp'],
  register: registerExports,
})

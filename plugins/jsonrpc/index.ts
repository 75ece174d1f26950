/** The plugin `jsonrpc`: a JSON-RPC 2.0 server. */
import { definePlugin } from 'svc/plugin'
import { jsonRpcProtocol } from 'svc/toolkit'
import { registerRoutes } from './routes.ts'

export default definePlugin({
  title: 'JSON-RPC 2.0',
  description: 'Methods to echo, calculate, wait and fail, in single calls, notifications and batches.',
  paths: ['/jsonrpc'],
  categories: [{ name: 'JSON-RPC', rank: 200 }],
  register(app, svc) {
    svc.use('testing.protocols').register(jsonRpcProtocol)
    registerRoutes(app, svc)
  },
})

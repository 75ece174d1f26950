/** The plugin `demo-data`: customers, products and orders shared by several plugins. It has no routes. */
import { definePlugin } from 'svc/plugin'
import { records } from './records.ts'

export default definePlugin({
  title: 'Demo data',
  description: 'Customers, products, orders and reviews for GraphQL, SOAP, MCP and QUERY.',
  paths: [],
  register(_app, svc) {
    svc.offer('demo-data.records', records)
  },
})

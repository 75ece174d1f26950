/** The plugin `soap`: three operations over SOAP 1.1 and 1.2, and the WSDL that describes them. */
import { definePlugin } from 'svc/plugin'
import type {} from '../demo-data/types.ts'
import { createOperations } from './operations.ts'
import { registerRoutes } from './routes.ts'

export default definePlugin({
  title: 'SOAP',
  description: 'Users, orders and order status over SOAP 1.1 and 1.2, with a WSDL and the faults of both versions.',
  paths: ['/soap'],
  categories: [{ name: 'SOAP / XML', rank: 180 }],
  buildsOn: ['demo-data'],
  register(app, svc) {
    registerRoutes(app, svc, createOperations(svc.use('demo-data.records')!))
  },
})

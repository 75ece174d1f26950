/** Owns the demo resources and templates. */
import type { ResourceDefinition, TemplateDefinition } from '../types.ts'
import { CITIES } from './completions.ts'
import type { Crm } from './crm.ts'
import { drawPattern } from './png.ts'
import { README } from './readme.ts'
import { weatherOf } from './weather.ts'

export const CLOCK_URI = 'svc://clock'
const JSON_TYPE = 'application/json'

export function demoResources(crm: Crm): ResourceDefinition[] {
  const logo = drawPattern('svc', 32)
  return [
    {
      uri: 'svc://docs/readme',
      name: 'readme',
      title: 'Read me',
      description: 'What this server offers',
      mimeType: 'text/markdown',
      read: () => ({ text: README }),
    },
    {
      uri: 'svc://data/customers.json',
      name: 'customers',
      title: 'Customers',
      description: 'The five demo customers',
      mimeType: JSON_TYPE,
      isPrivate: true,
      read: () => ({ text: JSON.stringify(crm.customers, null, 2) }),
    },
    {
      uri: 'svc://images/logo.png',
      name: 'logo',
      title: 'Logo',
      description: 'A small image',
      mimeType: 'image/png',
      size: logo.length,
      read: () => ({ blob: logo.toString('base64') }),
    },
    {
      uri: CLOCK_URI,
      name: 'clock',
      title: 'Clock',
      description: 'The current time in UTC; subscribers are notified every few seconds',
      mimeType: 'text/plain',
      ttlMs: 0,
      read: () => ({ text: new Date().toISOString() }),
    },
  ]
}

export function demoTemplates(crm: Crm): TemplateDefinition[] {
  return [
    {
      uriTemplate: 'svc://customers/{id}',
      name: 'customer',
      title: 'Customer',
      description: 'A customer with all their orders',
      mimeType: JSON_TYPE,
      isPrivate: true,
      exists: ({ id = '' }) => crm.customer(id) !== undefined,
      complete: { id: crm.customers.map(customer => customer.id) },
      read({ id = '' }) {
        const customer = crm.customer(id)
        return { text: JSON.stringify(customer && { ...customer, orders: crm.ordersOf(customer) }, null, 2) }
      },
    },
    {
      uriTemplate: 'svc://weather/{city}',
      name: 'weather',
      title: 'Weather',
      description: 'The weather in a city, in metric units',
      mimeType: JSON_TYPE,
      exists: ({ city = '' }) => city.trim() !== '',
      complete: { city: CITIES },
      read: ({ city = '' }) => ({ text: JSON.stringify(weatherOf(city), null, 2) }),
    },
  ]
}

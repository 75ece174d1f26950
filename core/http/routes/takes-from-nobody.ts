/** Which routes take calls in nobody's name. */
import type { CoreRoute } from './route-record.ts'

/** Whether every description that applies to the method allows calls in nobody's name. */
export function takesFromNobody({ descriptions, methods: ofRoute }: CoreRoute, method: string): boolean {
  const covering = descriptions.filter(
    ({ methods = ofRoute }) => methods.includes(method) || (method === 'HEAD' && methods.includes('GET')),
  )
  const isRead = method === 'GET' || method === 'HEAD'
  return (
    covering.length > 0 && covering.every(({ takes }) => takes === 'deliveries' || (takes === 'documents' && isRead))
  )
}

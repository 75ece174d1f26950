/** The npm client `soap`, unmodified, from the served WSDL. */
import t, { type Test } from 'tap'
import { createClientAsync, type Client } from 'soap'
import { serve } from '../support/server.ts'

type Call = (input: object) => Promise<[result: Record<string, unknown>]>
interface Methods {
  GetUserAsync: Call
  CreateOrderAsync: Call
  GetStatusAsync: Call
}

const { url } = await serve(t)

async function checkCalls(t: Test, { GetUserAsync, CreateOrderAsync, GetStatusAsync }: Methods): Promise<void> {
  t.match((await GetUserAsync({ userId: 'u1' }))[0], { user: { id: 'u1', name: 'Alice Chen', role: 'ADMIN' } })
  t.match((await CreateOrderAsync({ merchantId: 'M <1>', amount: '12.50' }))[0], {
    merchantId: 'M <1>',
    amount: '12.50',
    currency: 'GBP',
    status: 'ACCEPTED',
    timestamp: Date,
  })
  t.match((await GetStatusAsync({ orderId: 'ORD-9' }))[0], {
    orderId: 'ORD-9',
    tracking: 'TRK-ORD-9-001',
    createdAt: Date,
  })
  await t.rejects(GetUserAsync({}), { message: /Missing field/ })
}

t.test('calls every operation in SOAP 1.1 and 1.2 [SOAP-20]', async t => {
  for (const options of [{}, { forceSoap12Headers: true }]) {
    await checkCalls(t, (await createClientAsync(`${url}/soap?wsdl`, options)) as Client & Methods)
  }
})

t.test('finds both ports in the WSDL [SOAP-20]', async t => {
  const client = await createClientAsync(`${url}/soap/wsdl`)
  t.strictSame(Object.keys((client.describe() as { SvcService: object }).SvcService), ['SvcPort', 'SvcPort12'])
})

/** SOAP: operations, versions, faults, WSDL. */
import t, { type Test } from 'tap'
import { XMLValidator } from 'fast-xml-parser'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)

const NS_11 = 'http://schemas.xmlsoap.org/soap/envelope/'
const NS_12 = 'http://www.w3.org/2003/05/soap-envelope'
const envelope = (namespace: string, body: string, header = '') =>
  `<e:Envelope xmlns:e="${namespace}">${header}<e:Body>${body}</e:Body></e:Envelope>`
const GET_USER = '<GetUser xmlns="http://svc.local/users"><userId>123</userId></GetUser>'
const getUser = (userId: string) => `<GetUser><userId>${userId}</userId></GetUser>`

interface Reply {
  status: number
  type: string | null
  text: string
  headers: Headers
}

async function call(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(`${url}/soap`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml', ...headers },
    body: body as BodyInit,
  })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
    headers: response.headers,
  }
}

const field = (text: string, name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]

/** Code, reason and detail of a fault of either version; fails the test if the response is not a fault. */
function faultOf(
  t: Test,
  { text, status, type }: Reply,
): { status: number; code: string | undefined; reason: string | undefined; detail: string | undefined } {
  t.equal(XMLValidator.validate(text), true, 'the fault is well-formed')
  const is12 = text.includes(NS_12) && text.includes('<env:Envelope')
  t.equal(type, is12 ? 'application/soap+xml; charset=utf-8' : 'text/xml; charset=utf-8')
  return {
    status,
    code: is12 ? field(text, 'env:Value') : field(text, 'faultcode'),
    reason: is12 ? /<env:Text xml:lang="en">([^<]*)</.exec(text)?.[1] : field(text, 'faultstring'),
    detail: /<svc:error xmlns:svc="http:\/\/svc\.local\/faults">([^<]*)<\/svc:error>/.exec(text)?.[1],
  }
}

t.test('operations respond in the version and namespace of the request [SOAP-1]', async t => {
  const user = await call(url, envelope(NS_11, GET_USER))
  t.equal(user.status, 200)
  t.equal(user.type, 'text/xml; charset=utf-8')
  t.equal(
    user.text,
    `<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="${NS_11}"><soap:Body>
<GetUserResponse xmlns="http://svc.local/users"><user><id>123</id><name>Jane Smith</name><email>jane@svc.local</email><role>ADMIN</role></user></GetUserResponse>
</soap:Body></soap:Envelope>
`,
  )
  const order = await call(
    url,
    envelope(
      NS_12,
      '<CreateOrder xmlns="http://svc.local/orders"><merchantId>M 1</merchantId><amount>0019.90</amount></CreateOrder>',
    ),
    { 'content-type': 'application/soap+xml' },
  )
  t.equal(order.type, 'application/soap+xml; charset=utf-8')
  t.match(
    order.text,
    /<env:Envelope[^]*<CreateOrderResponse xmlns="http:\/\/svc.local\/orders"><orderId>ORD-[\dA-F]{8}<\/orderId><merchantId>M 1<\/merchantId><amount>0019.90<\/amount><currency>GBP<\/currency><status>ACCEPTED<\/status><timestamp>[^<]+Z<\/timestamp>/,
  )
  const status = await call(url, envelope(NS_11, '<GetStatus/>'))
  t.match(
    status.text,
    /<GetStatusResponse xmlns="http:\/\/svc.local\/status"><orderId>ORD-000<\/orderId><status>PROCESSING<\/status><createdAt>[^<]+<\/createdAt><updatedAt>[^<]+<\/updatedAt><tracking>TRK-ORD-000-001<\/tracking>/,
  )
  t.equal(Date.parse(field(status.text, 'updatedAt')!) - Date.parse(field(status.text, 'createdAt')!), 7_200_000)
  for (const [id, name, role] of [
    ['456', 'Bob Wilson', 'USER'],
    ['u3', 'Carol Nakamura', 'USER'],
    ['whoever', 'Demo User', 'GUEST'],
    ['__proto__', 'Demo User', 'GUEST'],
  ]) {
    const { text } = await call(url, envelope(NS_11, getUser(id!)))
    t.strictSame([field(text, 'id'), field(text, 'name'), field(text, 'role')], [id, name, role])
  }
})

t.test('fields are read leniently and echoed exactly [SOAP-2]', async t => {
  const table: [request: string, id: string][] = [
    [getUser('\n  a b \t'), 'a b'],
    [getUser('&lt;&#65;&#x42;&amp;amp;&quot;'), '&lt;AB&amp;amp;&quot;'],
    [getUser('<![CDATA[<!DOCTYPE x> & ]]>c'), '&lt;!DOCTYPE x&gt; &amp; c'],
    [getUser('a<!-- hidden -->b'), 'ab'],
    [getUser('ä€𝄞'), 'ä€𝄞'],
    [
      '<p:GetUser xmlns:p="urn:p"><other>x</other><q:userId xmlns:q="urn:q">first</q:userId><userId>second</userId></p:GetUser>',
      'first',
    ],
    [`<GetUser>${'<x/>'.repeat(63)}<userId>last</userId></GetUser>`, 'last'],
  ]
  for (const [request, id] of table) t.equal(field((await call(url, envelope(NS_11, request))).text, 'id'), id, request)
  for (const amount of ['12', '12.50', '.5', '+1', '5.', '0']) {
    t.equal(
      field(
        (
          await call(
            url,
            envelope(NS_11, `<CreateOrder><merchantId>m</merchantId><amount> ${amount} </amount></CreateOrder>`),
          )
        ).text,
        'amount',
      ),
      amount,
    )
  }
})

t.test('the envelope determines the version [SOAP-3]', async t => {
  for (const type of ['text/xml', 'application/soap+xml', 'application/json', 'nonsense']) {
    t.equal(
      (await call(url, envelope(NS_11, GET_USER), { 'content-type': type })).type,
      'text/xml; charset=utf-8',
      type,
    )
    t.equal(
      (await call(url, envelope(NS_12, GET_USER), { 'content-type': type })).type,
      'application/soap+xml; charset=utf-8',
      type,
    )
  }
})

t.test('an action that names an operation selects it [SOAP-4]', async t => {
  const table: [headers: Record<string, string>, response: string][] = [
    [{ soapaction: '"http://svc.local/GetStatus"' }, 'GetStatusResponse'],
    [{ soapaction: 'urn:x:GetStatus' }, 'GetStatusResponse'],
    [{ soapaction: 'http://x#GetStatus' }, 'GetStatusResponse'],
    [{ soapaction: '""' }, 'GetUserResponse'],
    [{ soapaction: 'http://x/Nothing' }, 'GetUserResponse'],
    [
      { 'content-type': 'application/soap+xml; charset=utf-8; action="http://svc.local/GetStatus"' },
      'GetStatusResponse',
    ],
    [{ 'content-type': 'application/soap+xml;action=GetStatus;x=y' }, 'GetStatusResponse'],
    [{ 'content-type': 'application/soap+xml; action=GetStatus', soapaction: 'GetUser' }, 'GetUserResponse'],
  ]
  for (const [headers, response] of table)
    t.match((await call(url, envelope(NS_12, GET_USER), headers)).text, `<${response} `, JSON.stringify(headers))
})

t.test('faults have the format of their version [SOAP-5]', async t => {
  t.match(faultOf(t, await call(url, envelope(NS_11, '<Nothing/>'))), {
    status: 500,
    code: 'soap:Client',
    reason: 'Unknown operation',
    detail: 'unknown operation Nothing (expected GetUser, CreateOrder, GetStatus)',
  })
  t.match(faultOf(t, await call(url, envelope(NS_12, '<Nothing/>'))), {
    status: 400,
    code: 'env:Sender',
    reason: 'Unknown operation',
  })
  t.match(faultOf(t, await call(url, '<x/>')), { status: 500, code: 'soap:Client', reason: 'Not a SOAP message' })
  t.match(faultOf(t, await call(url, '<x/>', { 'content-type': 'application/soap+xml' })), {
    status: 400,
    code: 'env:Sender',
  })
  for (const empty of [
    `<e:Envelope xmlns:e="${NS_11}"/>`,
    envelope(NS_11, ''),
    envelope(NS_11, 'text'),
    `<Envelope xmlns="${NS_11}"><Body xmlns="other"><GetUser/></Body></Envelope>`,
  ]) {
    t.match(faultOf(t, await call(url, empty)), { status: 500, code: 'soap:Client', reason: 'Empty Body' }, empty)
  }
})

t.test('another envelope namespace is a version mismatch [SOAP-9]', async t => {
  for (const namespace of ['', 'http://example.com/soap', NS_11.toUpperCase()]) {
    const body = `<Envelope${namespace === '' ? '' : ` xmlns="${namespace}"`}><Body>${GET_USER}</Body></Envelope>`
    t.match(faultOf(t, await call(url, body)), {
      status: 500,
      code: 'soap:VersionMismatch',
      reason: 'Unsupported SOAP envelope namespace',
    })
    const reply = await call(url, body, { 'content-type': 'application/soap+xml' })
    t.match(faultOf(t, reply), { status: 500, code: 'env:VersionMismatch' })
    t.match(
      reply.text,
      `<env:Header><env:Upgrade><env:SupportedEnvelope qname="e:Envelope" xmlns:e="${NS_12}"/><env:SupportedEnvelope qname="e:Envelope" xmlns:e="${NS_11}"/></env:Upgrade></env:Header>`,
    )
  }
})

t.test('mustUnderstand headers are faults [SOAP-10]', async t => {
  const header = (attributes: string) => `<e:Header><w:Security xmlns:w="urn:w" ${attributes}/></e:Header>`
  for (const [namespace, role] of [
    [NS_11, 'actor'],
    [NS_12, 'role'],
  ] as const) {
    for (const attributes of [
      'e:mustUnderstand="1"',
      'e:mustUnderstand="true"',
      `e:mustUnderstand="1" e:${role}="${namespace}/role/next"`,
      `e:mustUnderstand="1" e:${role}="${namespace}/role/ultimateReceiver"`,
      `e:mustUnderstand="1" e:${role}=""`,
    ]) {
      const reply = await call(url, envelope(namespace, GET_USER, header(attributes)))
      t.match(faultOf(t, reply), { status: 500, code: /:MustUnderstand$/, reason: 'Header not understood' }, attributes)
      t.equal(
        reply.text.includes('<env:Header><env:NotUnderstood qname="p:Security" xmlns:p="urn:w"/></env:Header>'),
        namespace === NS_12,
      )
    }
    for (const attributes of [
      '',
      'mustUnderstand="1"',
      'e:mustUnderstand="0"',
      'e:mustUnderstand="false"',
      `e:mustUnderstand="1" e:${role}="http://somebody.else"`,
    ]) {
      t.equal((await call(url, envelope(namespace, GET_USER, header(attributes)))).status, 200, attributes)
    }
  }
})

t.test('missing, invalid and too many fields are rejected [SOAP-8, SOAP-11]', async t => {
  const order = (amount: string) => `<CreateOrder><merchantId>m</merchantId><amount>${amount}</amount></CreateOrder>`
  const table: [body: string, reason: string][] = [
    ['<GetUser/>', 'Missing field'],
    ['<GetUser><userId>  </userId></GetUser>', 'Missing field'],
    ['<CreateOrder/>', 'Missing field'],
    [`<GetUser>${'<x/>'.repeat(65)}</GetUser>`, 'Too many fields'],
    [`<GetUser>${'<x/>'.repeat(3000)}</GetUser>`, 'Too many fields'],
    ...['1e3', 'NaN', '-1', '1,5', '.', '+', '1.2.3', '0x1', 'INF'].map((amount): [string, string] => [
      order(amount),
      'Invalid field',
    ]),
  ]
  for (const [body, reason] of table)
    t.match(faultOf(t, await call(url, envelope(NS_12, body))), { status: 400, code: 'env:Sender', reason }, body)
})

t.test('errors of the core are faults [SOAP-12]', async t => {
  const { url } = await serve(t, { env: { SVC_BODY_LIMIT: '1000' } })
  const large = envelope(NS_11, getUser('x'.repeat(2000)))
  t.match(faultOf(t, await call(url, large)), { status: 413, code: 'soap:Client', reason: 'payload too large' })
  t.match(faultOf(t, await call(url, large, { 'content-type': 'application/soap+xml' })), {
    status: 413,
    code: 'env:Sender',
  })
  t.match(faultOf(t, await call(url, envelope(NS_11, GET_USER), { 'x-svc-fail': '503' })), {
    status: 503,
    code: 'soap:Server',
  })
  t.match(
    faultOf(
      t,
      await call(url, envelope(NS_12, GET_USER), { 'x-svc-fail': '429', 'content-type': 'application/soap+xml' }),
    ),
    { status: 429, code: 'env:Sender' },
  )
})

t.test('the WSDL has the address that the client used [SOAP-14]', async t => {
  const { url } = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
  for (const path of ['/soap?wsdl', '/soap?WSDL', '/soap?x=1&Wsdl=1', '/soap/wsdl']) {
    const response = await fetch(url + path)
    t.equal(response.status, 200)
    t.equal(response.headers.get('content-type'), 'text/xml; charset=utf-8')
    const text = await response.text()
    t.equal(XMLValidator.validate(text), true)
    t.match(text, `<soap:address location="${url}/soap"/>`)
    t.match(text, `<soap12:address location="${url}/soap"/>`)
    t.match(text, /name="SvcService" targetNamespace="http:\/\/svc.local\/wsdl"/)
  }
  const forwarded = await (
    await fetch(`${url}/soap?wsdl`, {
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'gateway.example', 'x-forwarded-prefix': '/up' },
    })
  ).text()
  t.match(forwarded, '<soap:address location="https://gateway.example/up/soap"/>')
})

t.test('GET without wsdl gets the URL of the WSDL [SOAP-15]', async t => {
  const response = await fetch(`${url}/soap?other`)
  t.equal(response.headers.get('allow'), 'GET, POST')
  const reply = {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
    headers: response.headers,
  }
  t.match(faultOf(t, reply), {
    status: 405,
    code: 'soap:Client',
    detail: `send messages with POST; the WSDL is at ${url}/soap?wsdl`,
  })
  t.equal((await fetch(`${url}/soap`, { method: 'PUT' })).status, 405)
})

/** The XML parser of SOAP. */
import t from 'tap'
import { SoapFault } from '../../../plugins/soap/faults.ts'
import { readDocument } from '../../../plugins/soap/xml/document.ts'
import { textOf } from '../../../plugins/soap/xml/element.ts'
import { decodeXml } from '../../../plugins/soap/xml/text.ts'

/** The fault that parsing throws; null if it succeeds. */
function faultOf(read: () => unknown): Pick<SoapFault, 'code' | 'reason' | 'detail'> | null {
  try {
    read()
    return null
  } catch (error) {
    if (error instanceof SoapFault) return { code: error.code, reason: error.reason, detail: error.detail }
    throw error
  }
}

t.test('well-formed XML is accepted [SOAP-6]', async t => {
  const good: [text: string, content: string][] = [
    ['<a>x</a>', 'x'],
    ['<?xml version="1.0" encoding="UTF-8"?>\n<!-- c --><?pi x?><a>x</a>\n<!-- d --><?pi y?>\n', 'x'],
    ['<a>&lt;&gt;&amp;&quot;&apos;&#10;&#x1D11E;</a>', '<>&"\'\n𝄞'],
    ['<a><![CDATA[<?xml version="1.0"?><!DOCTYPE b>&foo;]]></a>', '<?xml version="1.0"?><!DOCTYPE b>&foo;'],
    ['<a><!-- <!DOCTYPE b> --><?pi?>x</a>', 'x'],
    ['<p:a xmlns:p="urn:p" p:b="1" b="2" xml:lang="en">x</p:a>', 'x'],
    ['<a b=">" c=\'"\'>x</a >', 'x'],
    ['<a>x<b>y</b>z</a>', 'xyz'],
    ['<a xmlns:p="urn:p"><p:b xmlns:p="urn:q">x</p:b></a>', 'x'],
  ]
  for (const [text, content] of good) t.equal(textOf(readDocument(text)), content, text)
  t.match(readDocument('<p:a xmlns:p="urn:p" p:b="&lt;"/>'), {
    name: 'p:a',
    local: 'a',
    namespace: 'urn:p',
    attributes: [{ namespace: 'urn:p', local: 'b', value: '<' }],
  })
})

t.test('malformed XML is rejected [SOAP-6]', async t => {
  const bad = [
    '',
    '  ',
    'text',
    '{"json":1}',
    '<a>',
    '</a>',
    '<a></b>',
    '<a/><b/>',
    '<a/>x',
    'x<a/>',
    '<a/><![CDATA[x]]>',
    '<a b/>',
    '<a b=1/>',
    '<a b="1" b="2"/>',
    '<a b="<"/>',
    '<1a/>',
    '<a>&foo;</a>',
    '<a>&</a>',
    '<a>a & b</a>',
    '<a>&#0;</a>',
    '<a>&#xFFFF;</a>',
    '<a>&#xD800;</a>',
    '<a>&#1114112;</a>',
    '<a>&#X41;</a>',
    '<a b="&foo;"/>',
    '<a>\u0000</a>',
    '<a>\u0008</a>',
    '<a>\ufffe</a>',
    '<a>\ud800</a>',
    '<p:a/>',
    '<a p:b="1"/>',
    '<a:b:c xmlns:a="x"/>',
    '<a xmlns:p=""/>',
    '<a xmlns:p="u" xmlns:q="u" p:x="1" q:x="2"/>',
    '<a>]]></a>',
    '<a><!-- -- --></a>',
    '<a><!-- ',
    '<a><![CDATA[x</a>',
    '<a><!ELEMENT b></a>',
    '<a/><?xml version="1.0"?>',
    ' <?xml version="1.0"?><a/>',
    '<__proto__/>',
    '<a><constructor/></a>',
    '<a __proto__="x"/>',
    '<?xml version="1.0"?>',
  ]
  for (const text of bad)
    t.match(
      faultOf(() => readDocument(text)),
      { code: 'Sender', reason: 'Malformed XML' },
      JSON.stringify(text),
    )
})

t.test('document types are rejected [SOAP-7]', async t => {
  const types = [
    '<!DOCTYPE a>',
    '<!DOCTYPE a SYSTEM "file:///etc/passwd">',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "http://127.0.0.1:1/">]>',
    '<!doctype a>',
    '<?pi <!DOCTYPE a> ?>',
    '<!DOCTYPE a [<!ENTITY a0 "x"><!ENTITY a1 "&a0;&a0;&a0;&a0;&a0;&a0;&a0;&a0;&a0;&a0;"><!ENTITY a2 "&a1;&a1;&a1;&a1;&a1;&a1;&a1;&a1;&a1;&a1;">]>',
  ]
  for (const type of types)
    t.match(
      faultOf(() => readDocument(`${type}<a>&x;</a>`)),
      { code: 'Sender', reason: 'Malformed XML', detail: /DTD/ },
      type,
    )
  t.match(
    faultOf(() => readDocument('<a><!DOCTYPE b></a>')),
    { detail: /DTD/ },
  )
})

t.test('depth is limited [SOAP-8]', async t => {
  const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth)
  t.equal(
    faultOf(() => readDocument(nested(32))),
    null,
  )
  for (const depth of [33, 101, 5_000])
    t.match(
      faultOf(() => readDocument(nested(depth))),
      { reason: 'Malformed XML' },
      `${depth} levels`,
    )
})

t.test('the encoding is detected [SOAP-13]', async t => {
  const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><a>ä€</a>`
  const utf16be = Buffer.from(declared('UTF-16'), 'utf16le').swap16()
  const good: [bytes: Buffer, contentType: string | undefined][] = [
    [Buffer.from('<a>ä€</a>'), undefined],
    [Buffer.from('\ufeff<a>ä€</a>'), 'text/xml; charset=iso-8859-1'],
    [Buffer.from(declared('UTF-8')), 'text/xml'],
    [Buffer.from(`\ufeff${declared('UTF-16')}`, 'utf16le'), 'text/xml'],
    [Buffer.from(declared('UTF-16'), 'utf16le'), undefined],
    [utf16be, undefined],
    [Buffer.from(declared('ISO-8859-15').replace('ä€', '\xe4\xa4'), 'latin1'), 'text/xml'],
    [Buffer.from('<a>\xe4\xa4</a>', 'latin1'), 'text/xml; charset="iso-8859-15"'],
    [Buffer.from('<a>\xe4\xa4</a>', 'latin1'), 'text/xml; charset=ISO-8859-15; action=x'],
  ]
  for (const [bytes, contentType] of good) t.match(decodeXml(bytes, contentType), /<a>ä€<\/a>/, contentType ?? 'none')
  t.equal(decodeXml(Buffer.from('<a>\xe4</a>', 'latin1'), 'text/xml; charset=ISO-8859-1'), '<a>ä</a>')
  t.equal(decodeXml(Buffer.from('<a>\xe4</a>', 'latin1'), 'text/xml; charset=windows-1251'), '<a>д</a>')
  t.match(
    faultOf(() => decodeXml(Buffer.from('<a/>'), 'text/xml; charset=klingon')),
    { code: 'Sender', reason: 'Unsupported encoding' },
  )
  t.match(
    faultOf(() => decodeXml(Buffer.from('<?xml version="1.0" encoding="ebcdic-x"?><a/>'), undefined)),
    { reason: 'Unsupported encoding' },
  )
  t.match(
    faultOf(() => decodeXml(Buffer.from([0x3c, 0x61, 0xff, 0x3e]), undefined)),
    { reason: 'Malformed XML' },
  )
  t.match(
    faultOf(() => readDocument(decodeXml(Buffer.from(declared('UTF-16')), undefined))),
    { reason: 'Malformed XML' },
  )
})

t.test('hostile documents are processed quickly [SOAP-16]', { timeout: 600_000 }, async t => {
  const size = 900_000
  const documents = [
    '<a>'.repeat(20_000),
    '<'.repeat(size),
    '<a '.repeat(size / 3),
    `<a ${'a '.repeat(size / 2)}/>`,
    `<a>${'<b/>'.repeat(size / 4)}</a>`,
    `<a>${'<!--'.repeat(size / 4)}`,
    `<a>${'<![CDATA['.repeat(size / 9)}`,
    `<a>${'&'.repeat(size)}</a>`,
    `<a>${'&amp'.repeat(size / 4)}</a>`,
    `<a b="${'x'.repeat(size)}`,
  ]
  for (const text of documents) {
    t.match(
      faultOf(() => readDocument(text)),
      { reason: 'Malformed XML' },
      text.slice(0, 20),
    )
  }
})

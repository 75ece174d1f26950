/** Rules of the auth checks. */
export default [
  {
    id: 'AUTH-1',
    rule: 'Checks take every method, any body and any content type, and negotiate JSON or XML',
    where: 'identity 9',
  },
  {
    id: 'AUTH-2',
    rule: 'Basic credentials are UTF-8, cut at the first colon, in any case of the scheme',
    where: 'identity 9',
  },
  {
    id: 'AUTH-3',
    rule: 'The API key is in the header of the default or of the path, in any case of its name',
    where: 'identity 9',
  },
  {
    id: 'AUTH-4',
    rule: 'Refusals are 401 with authenticated false and the challenge of their scheme',
    where: 'identity 9 to 11',
  },
  {
    id: 'AUTH-5',
    rule: 'A JWT is verified with the reasons of the provider; iss and aud in the query ask for more',
    where: 'identity 10',
  },
  { id: 'AUTH-6', rule: 'Decode checks nothing but structure and answers 400 to what is no JWT', where: 'identity 10' },
  {
    id: 'AUTH-7',
    rule: 'Exchange gives an HS256 token with the same claims, nbf aside, and issuer svc',
    where: 'identity 10',
  },
  {
    id: 'AUTH-8',
    rule: 'HMAC credentials are found in Authorization, Proxy-Authorization and a bare Signature header',
    where: 'identity 11',
  },
  {
    id: 'AUTH-9',
    rule: 'The signing string follows the dialects: headers, request-line, (request-target), @request-target',
    where: 'identity 11',
  },
  {
    id: 'AUTH-10',
    rule: 'Date or X-Date must be there, readable and within the clock skew, 0 switching that off',
    where: 'identity 11',
  },
  { id: 'AUTH-11', rule: 'A signed digest is compared with the body', where: 'identity 11' },
  {
    id: 'AUTH-12',
    rule: 'HMAC failures name the first reason in order; the last two show the signing string',
    where: 'identity 11',
  },
  {
    id: 'AUTH-13',
    rule: 'The client certificate of the TLS connection comes before that of the header, and is shown with its facts',
    where: 'identity 12',
  },
  {
    id: 'AUTH-14',
    rule: 'A certificate in the header is read in all encodings that gateways use',
    where: 'identity 12',
  },
  { id: 'AUTH-15', rule: 'Unusable and refused certificates are 401 with the reason', where: 'identity 12' },
  { id: 'AUTH-16', rule: 'CA and client pair can be downloaded as JSON, XML and PEM, and work', where: 'identity 12' },
  { id: 'AUTH-17', rule: 'HMAC clients of the field work unmodified', where: 'identity 14' },
  {
    id: 'AUTH-18',
    rule: 'Revoked tokens pass: only signature and claims are checked',
    where: 'identity 6; specification, Other state machines',
  },
]

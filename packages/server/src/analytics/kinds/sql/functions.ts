/*
 * Allowlist of functions for user SQL, by ClickHouse's names: pure functions of their arguments. None reads tables, dictionaries, files,
 * the network, server settings or other sessions, and none sleeps or throws on purpose.
 */

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Numeric arguments and results. */
const NUMERIC = words(`
  abs sign round floor ceil trunc roundBankers roundDown sqrt cbrt exp exp2 exp10 log ln log2 log10 pow power intExp2 intExp10
  lgamma tgamma sin cos tan asin acos atan atan2 sinh cosh tanh degrees radians pi e plus minus multiply divide intDiv intDivOrZero
  modulo positiveModulo negate gcd lcm isFinite isNaN isInfinite ifNotFinite bitAnd bitOr bitXor bitNot bitShiftLeft bitShiftRight bitCount
  widthBucket factorial hypot log1p
`);

/** Numeric results of arguments of any type. */
const COUNTING = words(`
  length lengthUTF8 empty notEmpty position positionUTF8 positionCaseInsensitive positionCaseInsensitiveUTF8 locate countSubstrings
  countSubstringsCaseInsensitive countMatches levenshteinDistance damerauLevenshteinDistance jaroSimilarity ngramDistance
  arrayCount indexOf arraySum arrayAvg arrayUniq arrayProduct countEqual dateDiff age
  toYear toQuarter toMonth toDayOfYear toDayOfMonth toDayOfWeek toHour toMinute toSecond toMillisecond toISOWeek toISOYear toWeek
  toYearWeek toUnixTimestamp toUnixTimestamp64Milli toUnixTimestamp64Micro toYYYYMM toYYYYMMDD toYYYYMMDDhhmmss
  JSONExtractInt JSONExtractUInt JSONExtractFloat JSONLength cityHash64 sipHash64 xxHash64 murmurHash3_64 farmHash64 javaHash crc32
  toInt8 toInt16 toInt32 toInt64 toUInt8 toUInt16 toUInt32 toUInt64 toFloat32 toFloat64 toInt64OrNull toInt64OrZero
  toInt32OrNull toInt32OrZero toUInt64OrNull toUInt64OrZero toFloat64OrNull toFloat64OrZero toFloat32OrNull toFloat32OrZero
`);

const OTHERS = words(`
  if multiIf ifNull nullIf coalesce assumeNotNull toNullable isNull isNotNull isZeroOrNull greatest least equals notEquals less lessOrEquals
  greater greaterOrEquals and or not xor identity
  toString toFixedString toUUID toUUIDOrNull toUUIDOrZero toBool toDate toDateOrNull toDateOrZero toDate32 toDateTime toDateTimeOrNull
  toDateTimeOrZero toDateTime64 toDecimal32 toDecimal64 toDecimal128 toDecimal64OrNull parseDateTime parseDateTimeOrNull
  parseDateTimeBestEffort parseDateTimeBestEffortOrNull parseDateTimeBestEffortOrZero parseDateTime64BestEffort
  parseDateTime64BestEffortOrNull toTypeName generateUUIDv4 bar
  lower upper lowerUTF8 upperUTF8 initcap reverse reverseUTF8 concat concatWithSeparator substring substringUTF8 substringIndex left right
  leftUTF8 rightUTF8 leftPad rightPad leftPadUTF8 rightPadUTF8 trimLeft trimRight trimBoth repeat space ascii char replaceOne replaceAll
  replaceRegexpOne replaceRegexpAll format startsWith startsWithUTF8 endsWith endsWithUTF8 like ilike notLike notILike match
  multiMatchAny multiSearchAny multiSearchFirstIndex hasToken hasTokenCaseInsensitive hasSubsequence extract extractAll
  extractAllGroups extractGroups regexpExtract splitByChar splitByString splitByRegexp splitByWhitespace splitByNonAlpha arrayStringConcat
  alphaTokens ngrams tokens base64Encode base64Decode tryBase64Decode hex unhex bin soundex normalizeUTF8NFC formatReadableSize
  formatReadableQuantity formatReadableTimeDelta formatReadableDecimalSize translate appendTrailingCharIfAbsent encodeXMLComponent
  decodeXMLComponent MD5 SHA1 SHA256 isValidUTF8 toValidUTF8 stringJaccardIndex
  domain domainWithoutWWW topLevelDomain firstSignificantSubdomain cutToFirstSignificantSubdomain protocol port path pathFull queryString
  fragment extractURLParameter extractURLParameters extractURLParameterNames cutURLParameter cutQueryString cutFragment cutWWW
  cutQueryStringAndFragment decodeURLComponent encodeURLComponent URLHierarchy URLPathHierarchy netloc
  IPv4NumToString IPv4StringToNum toIPv4 toIPv6 toIPv4OrNull toIPv6OrNull isIPv4String isIPv6String isIPAddressInRange
  toStartOfYear toStartOfISOYear toStartOfQuarter toStartOfMonth toStartOfWeek toStartOfDay toStartOfHour toStartOfMinute
  toStartOfSecond toStartOfFiveMinutes toStartOfTenMinutes toStartOfFifteenMinutes toStartOfInterval toLastDayOfMonth toLastDayOfWeek
  toMonday toTime toTimeZone timeZoneOf timezoneOffset dateTrunc addYears addQuarters addMonths addWeeks
  addDays addHours addMinutes addSeconds subtractYears subtractQuarters subtractMonths subtractWeeks subtractDays subtractHours
  subtractMinutes subtractSeconds toIntervalSecond toIntervalMinute toIntervalHour toIntervalDay toIntervalWeek toIntervalMonth
  toIntervalQuarter toIntervalYear formatDateTime dateName monthName makeDate makeDateTime fromUnixTimestamp fromUnixTimestamp64Milli
  toRelativeDayNum toRelativeHourNum toRelativeWeekNum toRelativeMonthNum timeSlot
  array range arrayConcat arrayElement arrayElementOrNull has hasAll hasAny hasSubstr arrayPushBack arrayPushFront arrayPopBack
  arrayPopFront arrayResize arraySlice arraySort arrayReverseSort arrayReverse arrayShuffle arrayDistinct arrayFlatten arrayCompact
  arrayZip arrayMap arrayFilter arrayExists arrayAll arrayFirst arrayLast arrayFirstIndex arrayLastIndex arrayFirstOrNull arrayMin
  arrayMax arrayCumSum arrayDifference arrayIntersect arrayUnion arrayEnumerate arrayEnumerateUniq arrayEnumerateDense arrayFill arrayReverseFill
  arraySplit arrayReverseSplit arrayFold arrayJoin arrayWithConstant emptyArrayString emptyArrayFloat64 emptyArrayInt64
  arrayRotateLeft arrayRotateRight
  tuple tupleElement tupleConcat map mapFromArrays mapKeys mapValues mapContains mapFilter mapApply mapAdd mapSubtract mapUpdate
  JSONHas JSONType JSONExtractBool JSONExtractString JSONExtract JSONExtractRaw JSONExtractArrayRaw JSONExtractKeysAndValues
  JSONExtractKeysAndValuesRaw JSONExtractKeys JSON_VALUE JSON_QUERY JSON_EXISTS isValidJSON toJSONString simpleJSONExtractString
  simpleJSONExtractInt simpleJSONExtractFloat simpleJSONExtractBool simpleJSONHas simpleJSONExtractRaw
  geoDistance greatCircleDistance h3ToString
`);

/** Aggregates of numbers, and of any type. Each is also allowed with combinators such as -If. */
const NUMBER_AGGREGATES = words(`
  sum avg sumWithOverflow sumKahan avgWeighted median medianExact quantile quantiles quantileExact quantilesExact quantileTDigest
  quantileTiming quantileDeterministic quantileBFloat16 stddevPop stddevSamp varPop varSamp covarPop covarSamp corr skewPop skewSamp
  kurtPop kurtSamp simpleLinearRegression entropy histogram deltaSum
`);
const AGGREGATES = words(`
  count uniq uniqExact uniqHLL12 uniqCombined uniqCombined64 min max any anyLast anyHeavy argMin argMax first_value last_value
  groupArray groupUniqArray groupArrayInsertAt groupArraySample groupConcat groupBitAnd groupBitOr groupBitXor topK topKWeighted
  windowFunnel retention sequenceMatch sequenceCount boundingRatio
`);
const COMBINATORS = [
  '',
  'If',
  'OrNull',
  'OrDefault',
  'IfOrNull',
  'OrNullIf',
  'Distinct',
  'DistinctIf',
  'Array',
  'ArrayIf',
  'Map',
];

/** Only with `over`. */
const OF_WINDOWS = words('row_number rank dense_rank percent_rank lag lead lagInFrame leadInFrame ntile nth_value cume_dist');

/** A function that may be used. */
export interface AllowedFunction {
  name: string;
  /** Its arguments are read as numbers. */
  takesNumbers: boolean;
  givesNumbers: boolean;
  isAggregate: boolean;
  needsWindow: boolean;
}

const allow = (names: string[], what: Partial<AllowedFunction>): AllowedFunction[] =>
  names.map((name) => ({ takesNumbers: false, givesNumbers: false, isAggregate: false, needsWindow: false, ...what, name }));

const combined = (names: string[]): string[] => names.flatMap((name) => COMBINATORS.map((combinator) => `${name}${combinator}`));

/** Of two functions of one name, the later counts. */
const FUNCTIONS: readonly AllowedFunction[] = [
  ...allow(OTHERS, {}),
  ...allow(COUNTING, { givesNumbers: true }),
  ...allow(NUMERIC, { takesNumbers: true, givesNumbers: true }),
  ...allow(combined(AGGREGATES), { isAggregate: true }),
  ...allow(combined(NUMBER_AGGREGATES), { takesNumbers: true, givesNumbers: true, isAggregate: true }),
  ...allow(combined(['count', 'uniq', 'uniqExact', 'uniqHLL12', 'uniqCombined', 'uniqCombined64']), {
    givesNumbers: true,
    isAggregate: true,
  }),
  ...allow(OF_WINDOWS, { needsWindow: true }),
];
const ALLOWED: ReadonlyMap<string, AllowedFunction> = new Map(FUNCTIONS.map((one) => [one.name, one]));
const BY_LOWER_CASE: ReadonlyMap<string, AllowedFunction> = new Map(FUNCTIONS.map((one) => [one.name.toLowerCase(), one]));

/** The names of other dialects. */
const OTHER_NAMES: Record<string, string> = {
  len: 'length',
  substr: 'substring',
  mid: 'substring',
  ltrim: 'trimLeft',
  rtrim: 'trimRight',
  trim: 'trimBoth',
  replace: 'replaceAll',
  regexp_replace: 'replaceRegexpAll',
  starts_with: 'startsWith',
  ends_with: 'endsWith',
  split: 'splitByString',
  ceiling: 'ceil',
  truncate: 'trunc',
  mod: 'modulo',
  date_trunc: 'dateTrunc',
  date_diff: 'dateDiff',
  datediff: 'dateDiff',
  year: 'toYear',
  quarter: 'toQuarter',
  month: 'toMonth',
  day: 'toDayOfMonth',
  dayofmonth: 'toDayOfMonth',
  dayofweek: 'toDayOfWeek',
  dayofyear: 'toDayOfYear',
  hour: 'toHour',
  minute: 'toMinute',
  second: 'toSecond',
  toweek: 'toISOWeek',
  week: 'toISOWeek',
  char_length: 'lengthUTF8',
  array_agg: 'groupArray',
  string_agg: 'groupConcat',
  stddev: 'stddevSamp',
  variance: 'varSamp',
  percentile: 'quantile',
  flatten: 'arrayFlatten',
  from_unixtime: 'fromUnixTimestamp',
};

/** Finds a function by its name, in any case where that is clear; null: it may not be used. */
export function findFunction(name: string): AllowedFunction | null {
  const lower = name.toLowerCase();
  const other = Object.hasOwn(OTHER_NAMES, lower) ? OTHER_NAMES[lower] : undefined;
  return ALLOWED.get(other ?? name) ?? BY_LOWER_CASE.get(lower) ?? null;
}

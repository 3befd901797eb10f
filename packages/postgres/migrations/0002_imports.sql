-- Up Migration

-- Employees, the snapshots that change them, and facts about them.

create schema imports;

-- Key for comparing e-mail addresses, equal to emailKey of packages/employee-record. The lists are
-- Unicode 17.0's simple case folding beyond ASCII. Tests compare both functions.
create function imports.email_key(email text) returns text
  language sql immutable strict parallel safe
  return normalize(
    lower(translate(
      normalize(btrim(email, U&'\0009\000a\000b\000c\000d\0020\00a0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200a\2028\2029\202f\205f\3000\feff')),
      'µÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽſƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎͅͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϐϑϕϖϘϚϜϞϠϢϤϦϨϪϬϮϰϱϴϵϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᏸᏹᏺᏻᏼᏽᲀᲁᲂᲃᲄᲅᲆᲇᲈᲉᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẛẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺΆᾼιῈΈῊΉῌΐῘῙῚΊΰῨῩῪΎῬῸΌῺΏῼΩKÅℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟋꟌ꟎Ꟑ꟒꟔ꟖꟘꟚꟜꟵꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿﬅＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𐵐𐵑𐵒𐵓𐵔𐵕𐵖𐵗𐵘𐵙𐵚𐵛𐵜𐵝𐵞𐵟𐵠𐵡𐵢𐵣𐵤𐵥𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𖺠𖺡𖺢𖺣𖺤𖺥𖺦𖺧𖺨𖺩𖺪𖺫𖺬𖺭𖺮𖺯𖺰𖺱𖺲𖺳𖺴𖺵𖺶𖺷𖺸𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡',
      'μàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžsɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏιͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋσϗβθφπϙϛϝϟϡϣϥϧϩϫϭϯκρθεϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭᏰᏱᏲᏳᏴᏵвдосттъѣꙋᲊაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕṡßạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰάᾳιὲέὴήῃΐῐῑὶίΰῠῡὺύῥὸόὼώῳωkåⅎⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊɤꟍ꟏ꟑꟓꟕꟗꟙꟛƛꟶᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯﬆａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𐵰𐵱𐵲𐵳𐵴𐵵𐵶𐵷𐵸𐵹𐵺𐵻𐵼𐵽𐵾𐵿𐶀𐶁𐶂𐶃𐶄𐶅𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𖺻𖺼𖺽𖺾𖺿𖻀𖻁𖻂𖻃𖻄𖻅𖻆𖻇𖻈𖻉𖻊𖻋𖻌𖻍𖻎𖻏𖻐𖻑𖻒𖻓𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃') collate "C"));

-- One row per account with employees. Employee writers lock it: one writer per account at a time.
create table imports.account_state (
  account_id bigint primary key references admin.account,
  -- Also the largest position, and so the total_count of the list.
  employees integer not null default 0,
  next_employee_id bigint not null default 1000000000,
  next_attribute_id integer not null default 1,
  next_option_id integer not null default 1,
  -- Incremented when the name of an attribute or option is added or changed.
  dictionary_version integer not null default 0,
  -- Salt of content_hash: clients cannot craft records that collide.
  hash_salt uuid not null default gen_random_uuid()
);
call isolate_accounts('imports.account_state');

create table imports.attribute (
  account_id bigint not null,
  id integer not null,
  name text not null,
  -- Normalised name (packages/attribute-name/src/normalise.ts, rule IMPORT-ATTRIBUTES-NAMES-1).
  name_key text collate "C" not null,
  primary key (account_id, id),
  unique (account_id, name_key)
);
call isolate_accounts('imports.attribute');

create table imports.attribute_option (
  account_id bigint not null,
  id integer not null,
  attribute_id integer not null,
  name text collate "C" not null,
  primary key (account_id, id),
  unique (account_id, attribute_id, name),
  foreign key (account_id, attribute_id) references imports.attribute
);
call isolate_accounts('imports.attribute_option');

create table imports.employee (
  account_id bigint not null,
  id bigint not null,
  -- 1, 2, 3 … without gaps, in order of creation. Imports index arrays by it.
  position integer not null,
  created_via text not null check (created_via in ('import_api', 'app', 'file', 'sftp', 'hcm')),
  import_id text collate "C",
  email text not null,
  -- imports.email_key(email); null for deleted employees, which frees the address.
  email_key text collate "C",
  firstname text,
  lastname text,
  language text,
  role text,
  is_deleted boolean not null default false,
  -- When the employee was last deleted; null after an erasure.
  offboarded_at timestamptz,
  supervisor_id bigint,
  -- Whether the last applied record contained reports_to_id: warnings about the supervisor point at
  -- it.
  sends_supervisor boolean not null default false,
  -- Sorted by attribute, then option.
  option_ids integer[] not null default '{}',
  -- Access to results: all data if true, else that of employees matching granted_option_ids, else
  -- none.
  all_data boolean not null default false,
  granted_option_ids integer[] not null default '{}',
  -- Hash of the record that left this employee unchanged; null after any other write.
  content_hash uuid,
  primary key (account_id, id),
  check (is_deleted = (email_key is null)),
  check (is_deleted or offboarded_at is null),
  -- Checked at the end of a statement, so that two employees can swap addresses in one (rule
  -- IMPORT-EMAILS-4).
  unique (account_id, email_key) deferrable initially immediate
) with (fillfactor = 90);
create unique index employee_by_import_id on imports.employee (account_id, import_id) where created_via = 'import_api';
create index employee_by_offboarding on imports.employee (account_id, offboarded_at) where offboarded_at is not null;
-- For sign-in, in all accounts.
create index employee_admin_by_email on imports.employee (email_key) where role = 'Admin' and not is_deleted;
call isolate_accounts('imports.employee');

-- Number of employees per range of ids: level 1 has 2^11 ids per block, level 2 2^22. A page at any
-- offset is found by adding a few counts; total_count is the sum of level 2. Written with the rows,
-- so both are exact in every database snapshot.
create table imports.employee_block (
  account_id bigint not null references admin.account,
  level smallint not null check (level in (1, 2)),
  block bigint not null,
  row_count integer not null,
  primary key (account_id, level, block)
);
call isolate_accounts('imports.employee_block');

-- The fact that last decided a field of an employee; field '' is the whole employee. A replayed
-- edit loses to itself, so it cannot undo a later import.
create table imports.employee_revision (
  account_id bigint not null references admin.account,
  employee_id bigint not null,
  field text not null,
  revision bigint not null,
  digest bytea not null,
  primary key (account_id, employee_id, field)
);
call isolate_accounts('imports.employee_revision');

create table imports.import (
  account_id bigint not null references admin.account,
  import_uuid uuid not null,
  state text not null default 'accepted' check (state in ('accepted', 'applied', 'cancelled', 'failed')),
  accepted_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  attempts integer not null default 0,
  -- Attempts that failed because of the import itself; `attempts` counts all.
  failed_attempts integer not null default 0,
  first_attempt_at timestamptz,
  -- Set before an attempt, so that the delay also applies if the worker is killed during it.
  next_attempt_at timestamptz not null default now(),
  -- Workers claim only imports whose rules they know.
  plan_version integer not null,
  content_encoding text not null check (content_encoding in ('gzip', 'identity')),
  employees_total integer not null,
  -- JSON size: an import with large records needs much memory.
  largest_record_bytes integer not null default 0,
  idempotency_key text,
  body_sha256 bytea,
  -- Digest of the records and their employees, if all records were known when it was accepted.
  content_digest bytea,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  reactivated integer not null default 0,
  skipped integer not null default 0,
  offboarded integer not null default 0,
  -- Counts that the deletion threshold was applied to (rule IMPORT-THRESHOLD-7).
  managed integer,
  deletion_threshold numeric(7, 4),
  cancel_reasons text[] not null default '{}',
  -- Threshold override: an operator lets this import exceed the deletion threshold.
  deletes_allowed boolean not null default false,
  -- Cancelled only by the deletion threshold: an operator may override it.
  cancelled_for_deletes boolean not null default false,
  -- The API key that sent it; null for a rerun.
  key_id uuid,
  -- The import whose snapshot this one reruns with a threshold override.
  rerun_of uuid,
  -- Only for an import that the deletion threshold cancelled: its body is deleted then. Null
  -- without a body.
  body_kept_until timestamptz,
  -- Set when the import ends. Records and mail are deleted then; counts and cancellation reasons
  -- stay.
  records_kept_until timestamptz,
  records_deleted_at timestamptz,
  -- W3C traceparent under which the import was accepted; workers continue that trace.
  traceparent text,
  primary key (account_id, import_uuid),
  check ((state = 'accepted') = (finished_at is null))
);
-- One running import per account: otherwise 409, as the contract says.
create unique index import_running on imports.import (account_id) where finished_at is null;
create unique index import_by_idempotency_key on imports.import (account_id, idempotency_key) where idempotency_key is not null;
-- An import is overridden only once.
create unique index import_by_rerun_of on imports.import (account_id, rerun_of) where rerun_of is not null;
create index import_newest_first on imports.import (account_id, accepted_at desc, import_uuid desc);
create index import_body_to_delete on imports.import (body_kept_until) where body_kept_until is not null;
create index import_to_expire on imports.import (records_kept_until) where records_deleted_at is null;
call isolate_accounts('imports.import');

-- The body as received, in chunks.
create table imports.payload (
  account_id bigint not null,
  import_uuid uuid not null,
  chunk integer not null,
  data bytea not null,
  primary key (account_id, import_uuid, chunk)
);
alter table imports.payload alter column data set storage external;
call isolate_accounts('imports.payload');

-- A body without an import: being received, or kept for a dry run. The row is deleted when the
-- import is accepted, or with the body.
create table imports.upload (
  account_id bigint not null,
  import_uuid uuid not null,
  last_chunk_at timestamptz not null default clock_timestamp(),
  -- Known once the body is valid.
  largest_record_bytes integer not null default 0,
  primary key (account_id, import_uuid)
);
create index upload_by_last_chunk on imports.upload (last_chunk_at);
call isolate_accounts('imports.upload');

-- Outcome of each record, except plainly unchanged ones.
create table imports.record_result (
  account_id bigint not null,
  import_uuid uuid not null,
  record_index integer not null,
  import_id text,
  outcome text not null check (outcome in ('created', 'updated', 'unchanged', 'reactivated', 'skipped')),
  reasons jsonb not null default '[]',
  warnings jsonb not null default '[]',
  primary key (account_id, import_uuid, record_index)
);
-- Records that an account admin must check, among up to a million.
create index record_result_with_issues on imports.record_result (account_id, import_uuid, record_index)
  where outcome = 'skipped' or warnings <> '[]';
call isolate_accounts('imports.record_result');

-- Employees that an applied import offboarded, or that an import cancelled only by the deletion
-- threshold would have. Kept as long as the import's records.
create table imports.offboarding (
  account_id bigint not null,
  import_uuid uuid not null,
  employee_id bigint not null,
  primary key (account_id, import_uuid, employee_id)
);
call isolate_accounts('imports.offboarding');

-- One mail to the account admins per import that skipped an employee, inserted with the import, and
-- per change of the disclosure guard. Retried until the mail server accepts it.
create table imports.mail (
  account_id bigint not null references admin.account,
  -- Names the mail in its Message-ID: the import's uuid, or a random one.
  id uuid not null default gen_random_uuid(),
  import_uuid uuid,
  -- Version of the settings that changed the guard.
  settings_version integer,
  created_at timestamptz not null default now(),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  -- Ids of the account admins whose copy the mail server has accepted.
  sent_to bigint[] not null default '{}',
  -- Accepted by the mail server, or no recipients.
  sent_at timestamptz,
  -- Not accepted within a day.
  given_up_at timestamptz,
  primary key (account_id, id),
  unique (account_id, import_uuid),
  unique (account_id, settings_version),
  check (num_nonnulls(import_uuid, settings_version) = 1)
);
create index mail_due on imports.mail (next_attempt_at) where sent_at is null and given_up_at is null;
call isolate_accounts('imports.mail');

-- Keyed hash by which an erased import_id or e-mail address is recognised without being stored.
create function imports.identity_hash(salt uuid, kind text, value text) returns bytea
  language sql immutable strict parallel safe
  return sha256(convert_to(salt::text || '/' || kind || '/' || value, 'UTF8'));

-- Employees who are erased (rule DATA-ERASURE-1). The name, address and import_id stay here until
-- every service has deleted what it finds by them.
create table imports.erased_employee (
  account_id bigint not null,
  employee_id bigint not null,
  answers text not null check (answers in ('anonymise', 'delete')),
  requested_at timestamptz not null default now(),
  -- When the row of imports.employee was emptied: null while an import runs.
  erased_at timestamptz,
  finished_at timestamptz,
  -- Schemas that still hold data of the employee.
  pending_schemas text[] not null default '{imports,export,scoring,text,admin}',
  import_id text collate "C",
  email text,
  firstname text,
  lastname text,
  -- A record with one of these is skipped; null: the employee may return (rule DATA-ERASURE-4).
  import_id_hash bytea,
  email_hash bytea,
  may_return boolean not null default false,
  -- Only for an erasure by retention: when the employee was offboarded.
  offboarded_at timestamptz,
  primary key (account_id, employee_id),
  foreign key (account_id, employee_id) references imports.employee
);
create index erased_employee_by_import_id on imports.erased_employee (account_id, import_id_hash);
create index erased_employee_by_email on imports.erased_employee (account_id, email_hash);
create index erased_employee_unfinished on imports.erased_employee (account_id) where finished_at is null;
call isolate_accounts('imports.erased_employee');

-- Facts about employees that cannot be applied yet, or only in part. They are stored here, not in
-- the stream, and never block others.
create table imports.deferred_fact (
  account_id bigint not null references admin.account,
  -- edit: the employee does not exist yet; supervisor: all is applied except the supervisor, who
  -- does not exist yet; address: another employee has the e-mail address.
  kind text not null check (kind in ('edit', 'supervisor', 'address')),
  -- For supervisor the employee, of which the newest fact wins; else the fact's digest in hex.
  object_id text not null,
  revision bigint not null,
  digest bytea not null,
  -- The missing employee or, for address, the employee that the fact is about.
  employee_id bigint,
  employee_import_id text collate "C",
  fact bytea not null,
  -- Source of the fact, so that a publisher can look up its deferred facts.
  source text not null,
  line bigint not null,
  deferred_at timestamptz not null default now(),
  primary key (account_id, kind, object_id),
  check (num_nonnulls(employee_id, employee_import_id) = 1)
);
call isolate_accounts('imports.deferred_fact');

-- Rejected facts: their position in the stream and the reason, without their content.
create table imports.dead_letter (
  account_id bigint not null references admin.account,
  id bigint generated always as identity,
  stream_sequence bigint not null,
  -- Offset in the batch.
  position integer not null,
  kind text not null,
  source text not null,
  line bigint not null,
  reason text not null,
  rejected_at timestamptz not null default now(),
  primary key (account_id, id),
  -- A recreated stream counts from 1 again.
  unique (account_id, source, stream_sequence, position)
);
call isolate_accounts('imports.dead_letter');

create table imports.due (like admin.due including all);

create table imports.outbox (like admin.outbox including all);
call isolate_outbox('imports.outbox', 'survey_imports');
create table imports.event_sequence (like admin.event_sequence including all);
call isolate_accounts('imports.event_sequence');

-- Notes that a schema holds nothing of an erased employee any more. The last one ends the erasure.
create function imports.end_erasure(wanted_account bigint, wanted_employee bigint, of_schema text) returns void
  language plpgsql set search_path = ''
  as $$
    begin
      update imports.erased_employee x set pending_schemas = array_remove(x.pending_schemas, of_schema)
      where x.account_id = wanted_account and x.employee_id = wanted_employee;
      update imports.erased_employee x set finished_at = now(), import_id = null, email = null, firstname = null, lastname = null
      where x.account_id = wanted_account and x.employee_id = wanted_employee and x.finished_at is null and x.pending_schemas = '{}';
      if found then
        insert into admin.audit (account_id, actor, actor_kind, action, after)
        values (wanted_account, 'import-reconciler', 'service', 'employee.erased', jsonb_build_object('employee_id', wanted_employee));
      end if;
    end
  $$;

-- What this schema holds about one employee, for that employee.
create function imports.employee_data(wanted_account bigint, wanted_employee bigint) returns jsonb
  language plpgsql stable set search_path = ''
  as $$
    #variable_conflict use_column
    begin
      return (
        select jsonb_build_object(
          'employee', jsonb_build_object('id', e.id, 'import_id', e.import_id, 'created_via', e.created_via, 'email', e.email,
            'firstname', e.firstname, 'lastname', e.lastname, 'language', e.language, 'role', e.role, 'is_deleted', e.is_deleted,
            'supervisor_id', e.supervisor_id, 'all_data', e.all_data),
          'attributes', coalesce((
            select jsonb_agg(jsonb_build_object('name', a.name, 'value', o.name) order by o.id)
            from imports.attribute_option o join imports.attribute a on a.account_id = o.account_id and a.id = o.attribute_id
            where o.account_id = e.account_id and o.id = any(e.option_ids)), '[]'),
          'grants', coalesce((
            select jsonb_agg(jsonb_build_object('name', a.name, 'value', o.name) order by o.id)
            from imports.attribute_option o join imports.attribute a on a.account_id = o.account_id and a.id = o.attribute_id
            where o.account_id = e.account_id and o.id = any(e.granted_option_ids)), '[]'),
          'import_results', coalesce((
            select jsonb_agg(jsonb_build_object('import_uuid', r.import_uuid, 'outcome', r.outcome, 'reasons', r.reasons, 'warnings', r.warnings)
              order by r.import_uuid)
            from imports.record_result r where r.account_id = e.account_id and r.import_id = e.import_id and e.created_via = 'import_api'), '[]'),
          'offboardings', coalesce((
            select jsonb_agg(o.import_uuid order by o.import_uuid)
            from imports.offboarding o where o.account_id = e.account_id and o.employee_id = e.id), '[]'),
          'received_mails', coalesce((
            select jsonb_agg(jsonb_build_object('import_uuid', m.import_uuid, 'settings_version', m.settings_version,
              'created_at', m.created_at) order by m.created_at, m.id)
            from imports.mail m where m.account_id = e.account_id and e.id = any(m.sent_to)), '[]'))
        from imports.employee e where e.account_id = wanted_account and e.id = wanted_employee
      );
    end
  $$;

-- What the schema admin holds about one employee, for that employee.
create function admin.employee_data(wanted_account bigint, wanted_employee bigint) returns jsonb
  language plpgsql stable set search_path = ''
  as $$
    #variable_conflict use_column
    begin
      return (
        select jsonb_build_object(
          'sign_ins', coalesce((
            select jsonb_agg(jsonb_build_object('issuer', i.issuer, 'subject', i.subject, 'linked_at', i.linked_at,
              'last_sign_in_at', i.last_sign_in_at) order by i.issuer)
            from admin.identity i where i.account_id = wanted_account and i.employee_id = wanted_employee), '[]'),
          'invitations', coalesce((
            select jsonb_agg(jsonb_build_object('email', i.email, 'ends_at', i.ends_at) order by i.id)
            from admin.invitation i join imports.employee e on e.account_id = i.account_id and imports.email_key(e.email) = i.email_key
            where i.account_id = wanted_account and e.id = wanted_employee), '[]'),
          'audited_actions', coalesce((
            select jsonb_agg(jsonb_build_object('at', a.recorded_at, 'action', a.action, 'reason', a.reason, 'address', a.address) order by a.id)
            from admin.audit a where a.account_id = wanted_account and a.actor_employee_id = wanted_employee), '[]'))
      );
    end
  $$;

-- The functions below look across accounts. Those that find work return its ids only.

create function imports.accounts_to_erase(of_schema text) returns setof bigint
  language plpgsql stable set search_path = ''
  as $$
    #variable_conflict use_column
    begin
      return query select distinct x.account_id from imports.erased_employee x
      where x.finished_at is null and of_schema = any(x.pending_schemas) and (x.erased_at is not null or of_schema = 'imports');
    end
  $$;

create function imports.unfinished_imports()
  returns table (account_id bigint, import_uuid uuid)
  language sql stable set search_path = ''
  as $$ select i.account_id, i.import_uuid from imports.import i where i.finished_at is null order by i.accepted_at $$;

-- Imports whose next attempt may begin.
create function imports.due_imports()
  returns table (account_id bigint, import_uuid uuid)
  language sql stable set search_path = ''
  as $$
    select i.account_id, i.import_uuid from imports.import i
    where i.finished_at is null and i.next_attempt_at <= now() order by i.accepted_at
  $$;

-- Versions of settings that changed the disclosure guard, as far as the caller sees them. Without
-- closed accounts, whose rows must not come back once deleted (rule DATA-DELETION-1).
create function imports.guard_changes() returns table (account_id bigint, version integer)
  language sql stable set search_path = ''
  as $$
    select v.account_id, v.version
    from (
      select s.account_id, s.version, s.disclosure_guard, s.guard_settling_hours,
        lag(s.disclosure_guard, 1, 'off') over versions as guard_before, lag(s.guard_settling_hours, 1, 24) over versions as hours_before
      from admin.settings s window versions as (partition by s.account_id order by s.version)
    ) v
    where (v.disclosure_guard, v.guard_settling_hours) <> (v.guard_before, v.hours_before) and admin.account_exists(v.account_id)
  $$;

-- Accounts with a change of the guard that no mail is about.
create function imports.accounts_with_guard_change() returns setof bigint
  language plpgsql stable set search_path = ''
  as $$
    declare
      changed record;
    begin
      for changed in select g.account_id, array_agg(g.version) as versions from imports.guard_changes() g group by g.account_id loop
        if (select count(*) from imports.mail m
            where m.account_id = changed.account_id and m.settings_version = any(changed.versions)) < cardinality(changed.versions) then
          return next changed.account_id;
        end if;
      end loop;
    end
  $$;

create function imports.due_mails()
  returns table (account_id bigint, id uuid)
  language sql stable set search_path = ''
  as $$
    select m.account_id, m.id from imports.mail m
    where m.sent_at is null and m.given_up_at is null and m.next_attempt_at <= now()
    order by m.next_attempt_at limit 100
  $$;

create function imports.accounts_with_deferred_facts() returns setof bigint
  language sql stable set search_path = ''
  as $$ select distinct f.account_id from imports.deferred_fact f $$;

-- Deletes bodies that were rejected, or whose client or receiver died. Reads only imports.upload by
-- its index; it has one row per upload.
create function imports.delete_abandoned_bodies() returns void
  language plpgsql set search_path = ''
  as $$
    declare
      body record;
    begin
      for body in
        select u.account_id, u.import_uuid from imports.upload u
        where u.last_chunk_at < now() - interval '1 hour' order by u.last_chunk_at limit 10
      loop
        perform from imports.upload u
        where u.account_id = body.account_id and u.import_uuid = body.import_uuid and u.last_chunk_at < now() - interval '1 hour'
        for update skip locked;
        continue when not found;
        delete from imports.payload p
        where p.account_id = body.account_id and p.import_uuid = body.import_uuid
          and not exists (select from imports.import i where i.account_id = p.account_id and i.import_uuid = p.import_uuid);
        delete from imports.upload u where u.account_id = body.account_id and u.import_uuid = body.import_uuid;
      end loop;
    end
  $$;

-- Deletes one expired body as a whole: allow-deletes finds all of it or nothing. Returns false if
-- there is none.
create function imports.delete_expired_body() returns boolean
  language plpgsql set search_path = ''
  as $$
    declare
      body record;
    begin
      for body in
        select i.account_id, i.import_uuid from imports.import i where i.body_kept_until <= now() order by i.body_kept_until limit 10
      loop
        perform from imports.import i
        where i.account_id = body.account_id and i.import_uuid = body.import_uuid and i.body_kept_until <= now()
        for no key update skip locked;
        continue when not found;
        delete from imports.payload p where p.account_id = body.account_id and p.import_uuid = body.import_uuid;
        update imports.import i set body_kept_until = null where i.account_id = body.account_id and i.import_uuid = body.import_uuid;
        return true;
      end loop;
      return false;
    end
  $$;

-- Accounts with employees whose erasure the retention requires (rule DATA-RETENTION-1), and since
-- when.
create function imports.expired_offboarded(default_days double precision) returns table (account_id bigint, expired_at timestamptz)
  language plpgsql stable set search_path = ''
  as $$
    declare
      of_account bigint;
      kept interval;
    begin
      for of_account in select s.account_id from imports.account_state s loop
        kept := admin.retention_days(of_account, 'offboarded', default_days) * interval '1 day';
        return query
        select e.account_id, e.offboarded_at + kept from imports.employee e
        where e.account_id = of_account and e.offboarded_at < now() - kept order by e.offboarded_at limit 1;
      end loop;
    end
  $$;

-- Seconds since the oldest data that is not deleted yet has expired, by kind: for metrics.
create function imports.retention_lag() returns table (kind text, seconds float8)
  language sql stable set search_path = ''
  as $$
    select expired.kind, greatest(0, coalesce(extract(epoch from now() - expired.at), 0))::float8
    from (
      select 'bodies' as kind, min(i.body_kept_until) as at from imports.import i where i.body_kept_until is not null
      union all
      select 'outcomes', min(i.records_kept_until) from imports.import i where i.records_deleted_at is null
    ) expired
  $$;

-- Deletes up to 5,000 records of one expired import. With the last of them, deletes its mail and
-- the list of its offboarded employees, and marks the import. Returns false if there is none. Keeps
-- imports whose summaries are still unsent.
create function imports.delete_expired_records() returns boolean
  language plpgsql set search_path = ''
  as $$
    declare
      expired record;
      deleted bigint;
    begin
      for expired in
        select i.account_id, i.import_uuid from imports.import i
        where i.records_deleted_at is null and i.records_kept_until <= now()
          and not exists (select from imports.mail m where m.account_id = i.account_id and m.import_uuid = i.import_uuid
                          and m.sent_at is null and m.given_up_at is null)
        order by i.records_kept_until limit 10
      loop
        perform from imports.import i
        where i.account_id = expired.account_id and i.import_uuid = expired.import_uuid and i.records_deleted_at is null
        for no key update skip locked;
        continue when not found;
        delete from imports.record_result r
        where r.account_id = expired.account_id and r.import_uuid = expired.import_uuid and r.record_index = any(array(
          select b.record_index from imports.record_result b
          where b.account_id = expired.account_id and b.import_uuid = expired.import_uuid limit 5000));
        get diagnostics deleted = row_count;
        if deleted < 5000 then
          delete from imports.offboarding o where o.account_id = expired.account_id and o.import_uuid = expired.import_uuid;
          delete from imports.mail m where m.account_id = expired.account_id and m.import_uuid = expired.import_uuid;
          update imports.import i set records_deleted_at = now()
          where i.account_id = expired.account_id and i.import_uuid = expired.import_uuid;
        end if;
        return true;
      end loop;
      return false;
    end
  $$;

-- Accounts that a user of an issuer may administer, and their employee or invitation in each.
-- `verified_email_key` null: linked identities only.
create function admin.find_admin_accounts(of_issuer text, of_subject text, verified_email_key text)
  returns table (account_id bigint, employee_id bigint, invitation_id bigint)
  language plpgsql stable set search_path = ''
  as $$
    #variable_conflict use_column
    begin
      return query
      select e.account_id, e.id, null::bigint
      from admin.identity l
      join admin.account_issuer b on b.account_id = l.account_id and b.issuer = l.issuer
      join imports.employee e on e.account_id = l.account_id and e.id = l.employee_id
      where l.issuer = of_issuer and l.subject = of_subject and e.role = 'Admin' and not e.is_deleted;
      return query
      select e.account_id, e.id, null::bigint
      from imports.employee e
      join admin.account_issuer b on b.account_id = e.account_id and b.issuer = of_issuer
      where e.email_key = verified_email_key and e.role = 'Admin' and not e.is_deleted
        and not exists (
          select from admin.identity l join imports.employee linked on linked.account_id = l.account_id and linked.id = l.employee_id
          where l.account_id = e.account_id and linked.account_id = e.account_id and l.issuer = of_issuer
            and (l.employee_id = e.id or l.subject = of_subject and linked.role = 'Admin' and not linked.is_deleted));
      return query
      select i.account_id, null::bigint, i.id
      from admin.invitation i
      join admin.account_issuer b on b.account_id = i.account_id and b.issuer = of_issuer
      where i.ends_at > now()
        and (i.issuer = of_issuer and i.subject = of_subject or i.subject is null and i.email_key = verified_email_key);
    end
  $$;

grant usage on schema imports to survey_imports, survey_export, survey_admin, survey_scoring, survey_text, survey_definer;

grant select, insert, update on imports.account_state, imports.attribute, imports.employee, imports.employee_block,
  imports.employee_revision, imports.import, imports.mail, imports.event_sequence to survey_imports;
grant select, insert, update, delete on imports.payload, imports.upload, imports.deferred_fact, imports.due to survey_imports;
grant select, insert on imports.attribute_option, imports.record_result, imports.offboarding, imports.dead_letter to survey_imports;

grant select on imports.account_state, imports.attribute, imports.attribute_option, imports.employee, imports.employee_block to survey_export;
grant select on imports.attribute, imports.attribute_option, imports.employee, imports.import, imports.record_result,
  imports.offboarding, imports.mail, imports.deferred_fact, imports.dead_letter to survey_admin;
-- Identity and options of employees, without name and address.
grant select (account_id, id, import_id, created_via, option_ids) on imports.employee to survey_scoring;
grant select, insert, update on imports.erased_employee to survey_imports;
grant update (name) on imports.attribute_option to survey_imports;
grant select (account_id, employee_id, answers, erased_at, finished_at, pending_schemas, import_id, import_id_hash)
  on imports.erased_employee to survey_export, survey_scoring;
-- Recognises the import_id of an erased employee.
grant select (account_id, hash_salt) on imports.account_state to survey_scoring, survey_text;
grant select (account_id, employee_id, answers, requested_at, erased_at, finished_at, pending_schemas, import_id, email,
  import_id_hash, email_hash, may_return, offboarded_at) on imports.erased_employee to survey_admin;
grant select on imports.account_state to survey_admin;
-- Also the names that texts of colleagues may mention.
grant select on imports.erased_employee to survey_text;
-- Also the names that masking must find, including those of offboarded employees, and the language
-- that they probably write in.
grant select (account_id, id, import_id, created_via, option_ids, firstname, lastname, email, language) on imports.employee to survey_text;
grant select on imports.attribute_option to survey_text;
-- Facts about employees whose options may still change.
grant select (account_id, kind, employee_id, employee_import_id) on imports.deferred_fact to survey_scoring, survey_text;

grant select on imports.employee, imports.deferred_fact, imports.account_state, imports.attribute, imports.attribute_option to survey_definer;
grant select, update on imports.erased_employee to survey_definer;
grant insert on admin.audit to survey_definer;
grant select, update on imports.import to survey_definer;
grant select, delete on imports.payload, imports.record_result, imports.offboarding, imports.mail to survey_definer;
-- Locking rows needs update.
grant select, update, delete on imports.upload to survey_definer;
call run_as_definer('imports.end_erasure', 'survey_imports', 'survey_export', 'survey_scoring', 'survey_text', 'survey_admin');
call run_as_definer('imports.accounts_to_erase', 'survey_imports', 'survey_export', 'survey_scoring', 'survey_text', 'survey_admin');
call run_as_definer('imports.employee_data', 'survey_admin');
call run_as_definer('admin.employee_data', 'survey_admin');
call run_as_definer('imports.unfinished_imports', 'survey_imports');
call run_as_definer('imports.due_imports', 'survey_imports');
call run_as_definer('imports.due_mails', 'survey_imports');
call run_as_definer('imports.accounts_with_guard_change', 'survey_imports');
call run_as_definer('imports.accounts_with_deferred_facts', 'survey_imports');
call run_as_definer('imports.delete_abandoned_bodies', 'survey_imports');
call run_as_definer('imports.delete_expired_body', 'survey_imports');
call run_as_definer('imports.expired_offboarded', 'survey_imports');
call run_as_definer('imports.retention_lag', 'survey_imports');
call run_as_definer('imports.delete_expired_records', 'survey_imports');
call run_as_definer('admin.find_admin_accounts', 'survey_admin');

call allow_account_deletion('imports', 'survey_imports');
revoke delete on imports.deleted_rows from survey_imports;

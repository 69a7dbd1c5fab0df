/// Common passwords: words and keyboard patterns, in lowercase.
///
/// Common variations (leading and trailing digits and punctuation, digits instead of letters) are removed before the
/// comparison, so that one word covers many passwords.
package enum GuessedPasswords {
  /// Whether a word is in the list.
  package static func contains(_ word: String) -> Bool { words.contains(word) }

  package static let words = Set(
    """
    password passwort motdepasse contrasena contraseña senha parola haslo hasło heslo lozinka wachtwoord salasana losenord
    lösenord adgangskode passord kennwort geheim secret secreto segreto geheimnis passphrase passcode pass passw passwd 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 q1w2e3r4 zaq12wsx a1b2c3d4 abc123 trustno1 asd123 qwe123 p4ssword
    mypassword thepassword newpassword oldpassword yourpassword changeme changeit changethis default standard test testing tester
    testtest testuser guest user username login logon signin access account admin administrator adminadmin root rootroot toor
    superuser sysadmin system manager master server service support webmaster operator oracle postgres mysql database
    temp temporary welcome welcomehome willkommen bienvenue bienvenido benvenuto hello hellothere hallo hallohallo bonjour hola ciao
    letmein letmeinnow letmepass openup opensesame opensaysme sesame trustno trustnoone trustme whatever nothing nopassword
    idontknow idunno forgot remember qwerty qwertyuiop qwertyui qwertyuio qwertz qwertzuiop qwertzui azerty azertyuiop asdf asdfgh
    asdfghjk asdfghjkl asdfasdf asdasdasd zxcvbn zxcvbnm zxcvbnmasdf yxcvbnm qweasd qweasdzxc qazwsx qazwsxedc qazwsxedcrfv zaqwsx
    wsxedc edcrfv qwaszx poiuytrewq lkjhgfdsa mnbvcxz qweqweqwe zxczxczxc abc abcabc abcd abcdef abcdefg abcdefgh abcdefghi aabbcc
    iloveyou iloveu ilove iloveme iloveyousomuch loveyou lovelove loveme love lovers lover mylove forever foreverlove truelove
    teamo tequiero jetaime ichliebedich tiamo amore amour liebe schatz schatzi honey sweetheart darling sweetie sugar babe baby
    babygirl babyboy princess prince princesa queen king angel angels angelito devil heaven jesus jesuschrist christ godisgood
    blessed blessing faith hope family mother father mommy daddy brother sister friend friends bestfriend
    football baseball basketball softball soccer hockey tennis golf golfer swimming running volleyball futbol fussball liverpool
    arsenal chelsea manchester manutd everton tottenham barcelona barca realmadrid juventus bayern dortmund schalke borussia
    yankees cowboys steelers packers eagles redskins lakers bulls redsox patriots broncos
    dragon monkey tiger tigger lion eagle falcon panther wolf wolves shadow phoenix dolphin butterfly turtle bear teddybear panda
    kitty kitten hellokitty puppy doggie buster bailey bandit buddy max maxwell charlie lucky snoopy garfield mickey mickeymouse
    minnie donald pooh winnie pikachu pokemon naruto sasuke mario luigi zelda sonic spongebob simpson homer
    superman batman spiderman ironman wonderwoman superhero captain avengers marvel starwars startrek darthvader skywalker yoda
    matrix terminator gandalf hobbit frodo merlin harrypotter hogwarts voldemort jamesbond godzilla
    sunshine sunflower rainbow flower flowers rose summer winter spring autumn sommer fruhling frühling herbst verano invierno
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday blue red green yellow orange purple pink black white silver golden
    diamond diamonds crystal chocolate cookie cookies cheese banana apple strawberry cherry peanut pepper ginger coffee
    computer internet google facebook youtube instagram twitter linkedin whatsapp microsoft windows apple android samsung nokia
    iphone macintosh linux ubuntu debian docker github gmail yahoo hotmail netflix amazon spotify minecraft fortnite roblox
    warcraft starcraft counterstrike counter playstation nintendo xbox gamer gaming
    michael michelle jennifer jessica jordan joshua daniel andrew anthony thomas robert william matthew nicholas christopher
    ashley amanda nicole samantha elizabeth alexander alexandra stephanie jonathan benjamin brandon justin tyler hunter
    charlotte victoria patrick richard martin sebastian stefan andreas christian florian fabian jasmin melanie sabrina daniela
    carlos roberto fernando alejandro eduardo francisco mariana gabriel gabriela valentina
    mercedes porsche ferrari corvette mustang camaro harley harleydavidson yamaha suzuki kawasaki toyota honda subaru
    america american canada england london paris berlin germany deutschland france italia espana mexico brasil russia moscow
    newyork california texas florida chicago boston dallas hamburg munchen münchen vienna wien zurich ljubljana slovenia slovenija
    metallica nirvana slipknot eminem tupac beatles elvis marley bobmarley music guitar rocknroll rockstar
    freedom peace dreams dreamer success winner champion number numberone killer hacker ninja samurai soldier warrior legend
    money dollar million millionaire business company office school student college university teacher police secretary
    cheer cheerleader dancer dancing fishing hunting camping surfing skater snowboard biker biteme fuckyou fuckoff asshole bitch
    bullshit pussycat blink stupid loser crazy happy happyday smile smiley sexy sexygirl hottie cutie pretty beautiful
    location tracker tracking position godwit owntracks overland traccar gpslogger dawarich homeassistant raspberry raspberrypi
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}
